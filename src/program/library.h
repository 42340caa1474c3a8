// Programs by name: those of programs/*.yaml are in t3sim, others are files. They have streams of commands, or they
// are schemes and have stages.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "program/evaluate.h"
#include "program/scheme.h"

namespace t3sim::program_library {

// A file of programs/ as the build has put it into t3sim.
struct BuiltIn {
  std::string_view name;  // without .yaml
  std::string_view text;
};

// Names of the programs in t3sim, sorted: those with streams, and the schemes.
std::vector<std::string> names();
std::vector<std::string> scheme_names();

// Does this name a file?
bool is_file(const std::string& name_or_path);
// Is this the name of a scheme in t3sim, or a file that has stages?
bool is_scheme(const std::string& name_or_path);
// A scheme in t3sim, or a file. Throws InputError.
std::shared_ptr<const program::SchemeText> scheme(const std::string& name_or_path);

// What a program in t3sim, or a file (its name ends in .yaml, or has a "/"), says. Throws InputError; of a scheme, too.
program::ProgramText read(const std::string& name_or_path);

// Evaluated, and checked in all that can be known before a run (check.h, dependences.h). Throws InputError.
program::Program load(const std::string& name_or_path, const program::Setting& setting);

}  // namespace t3sim::program_library
