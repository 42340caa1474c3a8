// The arguments of `t3sim run`.
#pragma once

#include <optional>
#include <string>

#include "app/cli.h"
#include "app/config_request.h"
#include "results/debug_lines.h"
#include "run/run_options.h"

namespace t3sim {

struct RunArguments {
  ConfigRequest request{"run"};
  RunOptions options;
  std::optional<DebugOptions> debug;
  std::string output;        // directory; empty: none
  std::string runs;          // of a graph: directory of finished runs at cycle level; empty: none are kept
  bool extrapolate = false;  // of a graph: beyond the sizes of its table of backends
  bool explain = false;
  bool overlap = false;            // of a program: its parts alone, too
  std::optional<double> patience;  // seconds: what may take longer is sampled
  bool dry_run = false;
  bool json = false;
  bool quiet = false;
  bool verbose = false;
};

// Nothing if help was asked for, and printed. Throws InputError.
std::optional<RunArguments> parse_run(const Arguments& arguments);

// What runs is no scheme and no program but `what`: throws InputError for options of these.
void refuse_cycle_level(const RunArguments& run, const std::string& what);

}  // namespace t3sim
