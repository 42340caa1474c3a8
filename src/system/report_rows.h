// Counters and series of a finished phase as rows of stats.csv and series.csv.
#pragma once

#include <vector>

#include "system/node.h"
#include "system/output/results.h"

namespace t3sim {

struct PhaseRows {
  std::vector<StatRow> stats;
  std::vector<SeriesRow> series;
};

// Scheme and phase are left empty.
PhaseRows collect_rows(const PhaseResult& result, const TimeBase& time);

}  // namespace t3sim
