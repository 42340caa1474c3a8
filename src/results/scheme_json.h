// A scheme's result as results.json has it, and back: the one place that knows its keys. Also read by the page of
// `t3sim report`, kept for the points of sweeps and of `t3sim validate paper`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "results/results.h"

namespace t3sim {

nlohmann::ordered_json to_json(const SchemeResult& scheme);

// Throws nlohmann::json::exception unless `json` has at least times, phases and DRAM bytes of the right kinds.
SchemeResult scheme_from_json(const std::string& name, const nlohmann::ordered_json& json);

}  // namespace t3sim
