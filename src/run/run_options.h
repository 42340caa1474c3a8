// How a configuration is run: nothing here changes its results.
#pragma once

#include <optional>

#include "results/timeline/trace_options.h"

namespace t3sim {

struct RunOptions {
  unsigned threads = 1;                  // results are the same on any number
  bool with_baseline = true;             // false: sequential only if asked for; speed-ups are 1 without it
  std::optional<TraceOptions> timeline;  // a trace for Perfetto
};

}  // namespace t3sim
