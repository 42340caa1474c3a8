// What `t3sim run` was asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/timeline/trace_options.h"

namespace t3sim {

struct RunOptions {
  std::string config_file;
  std::vector<std::string> overrides;  // "path.to.key=value", in order
  std::vector<std::string> schemes;    // instead of the configuration's
  std::string output;                  // directory; empty: none
  bool explain = false;
  bool quiet = false;
  unsigned threads = 1;                  // results are the same on any number
  bool with_baseline = true;             // false: sequential only if asked for; speed-ups are 1 without it
  std::optional<TraceOptions> timeline;  // a trace for Perfetto
};

}  // namespace t3sim
