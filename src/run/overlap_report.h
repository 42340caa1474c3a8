// What overlap gains and costs, for people and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "runtime/overlap.h"

namespace t3sim {

std::string overlap_text(const Overlap& overlap);
nlohmann::ordered_json overlap_json(const Overlap& overlap);

}  // namespace t3sim
