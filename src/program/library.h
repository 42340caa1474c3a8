// Programs by name: those of programs/*.yaml are in t3sim, others are files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "program/evaluate.h"

namespace t3sim::program_library {

// A file of programs/ as the build has put it into t3sim.
struct BuiltIn {
  std::string_view name;  // without .yaml
  std::string_view text;
};

// Names of the programs in t3sim, sorted.
std::vector<std::string> names();

// What a program in t3sim, or a file (its name ends in .yaml, or has a "/"), says. Throws InputError.
program::ProgramText read(const std::string& name_or_path);

// Evaluated, and checked in all that can be known before a run (check.h, dependences.h). Throws InputError.
program::Program load(const std::string& name_or_path, const program::Setting& setting);

}  // namespace t3sim::program_library
