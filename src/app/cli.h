// The command line: finds the command, runs it, turns what it throws into one line and an exit status.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/exit_status.h"

namespace t3sim {

using Arguments = std::vector<std::string>;

struct CommandEntry {
  std::string_view name;
  std::string_view summary;                // one line of t3sim --help
  int (*run)(const Arguments& arguments);  // behind the command's name; returns an exit status or throws
};

// Every command, in the order of t3sim --help: command_table.cpp.
std::span<const CommandEntry> commands();

// Runs `action`; what it throws becomes a message on standard error and its exit status.
int exit_status_of(const std::function<int()>& action);

// All of main(). Never throws.
int run_cli(int argc, const char* const* argv);

}  // namespace t3sim
