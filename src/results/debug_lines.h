// What happened in a run as lines for people: the time line's events, one a line, in order of time.
#pragma once

#include <string>
#include <vector>

#include "results/results.h"

namespace t3sim {

struct DebugOptions {
  std::vector<std::string> tracks;  // beginnings of names: "tracker", "dma", "link"
  double from_us = 0;               // since the start of each phase
  double to_us = 1e300;
};

// Options of the texts of --debug, --from and --to ("120 us"; empty: no limit). Throws InputError.
DebugOptions debug_options(const std::vector<std::string>& tracks, const std::string& from,
                           const std::string& to);

// "t3 fused  120.500 us  GPU 0  dma  tile 12 (until 122.125 us)". Says so where there is nothing.
std::string debug_lines(const std::vector<TimelineRow>& timeline, const DebugOptions& options);

}  // namespace t3sim
