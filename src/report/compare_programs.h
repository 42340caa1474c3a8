// Programs side by side, and with schemes: details of comparison.h.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace t3sim::report {

// Of directories of which at least one holds the run of a program.
nlohmann::ordered_json compare_programs(const std::vector<std::string>& directories);

}  // namespace t3sim::report
