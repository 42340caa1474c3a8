// Sweeps side by side: details of comparison.h.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace t3sim::report {

nlohmann::ordered_json compare_sweeps(const std::vector<std::string>& directories);

// Keys of configurations by key that are not the same in all: [{"key", "values"}].
nlohmann::ordered_json differing_keys(const std::vector<nlohmann::ordered_json>& configs);

}  // namespace t3sim::report
