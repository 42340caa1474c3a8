// Collectives by name: those of collectives/*.yaml are in the program, others are files.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan_file.h"

namespace t3sim::plan_library {

// A file of collectives/ as the build has put it into the program.
struct BuiltIn {
  std::string_view name;  // without .yaml
  std::string_view text;
};

// Names of the collectives in the program, sorted.
std::vector<std::string> names();

// What a collective in the program, or a file (its name ends in .yaml, or has a "/"), says. Throws
// InputError.
PlanFile read(const std::string& name_or_path);

// The checked plan for so many GPUs, in nodes of node_size (0: no nodes). Throws InputError.
CollectivePlan load(const std::string& name_or_path, std::uint32_t gpus, std::uint32_t node_size = 0,
                    const std::map<std::string, std::int64_t>& parameters = {});

}  // namespace t3sim::plan_library
