// A program as a YAML file says it (docs/programs.md): what is written, before it is evaluated for a number of
// GPUs.
#pragma once

#include <string>
#include <vector>

#include "config/node.h"

namespace t3sim::program {

struct ProgramText {
  std::string name, doc;
  std::string origin;  // what messages call the file
  config::Node root;
};

// Throws InputError if `node` has a fence that is none of these.
void check_fence(const config::Node& node, const std::vector<std::string>& allowed);

// Throws InputError for what is no YAML, for keys and commands that are unknown and for keys that are missing.
// Expressions are not looked at yet.
ProgramText read_text(const std::string& text, const std::string& origin);

}  // namespace t3sim::program
