// Text pictures of a trace: its stages over time, and the order in which its tiles are made.
#pragma once

#include <string>

#include "trace/trace_summary.h"

namespace t3sim {

// A row a stage on a common time axis: '#' main loops, '=' from the stage's first store to its last. Where
// there are many stages, a row stands for several.
std::string picture_of_stages(const TraceSummary& summary);

// The tiles as they lie in the output, each as the sign of its stage: 0-9, a-z, A-Z, and again. Where there
// are many tiles, a sign stands for the first of several. Empty without a GEMM.
std::string picture_of_tiles(const TraceSummary& summary, const TileGrid& grid);

}  // namespace t3sim
