// Counters and series of a finished phase as rows of stats.csv and series.csv.
#pragma once

#include <vector>

#include "machine/cluster.h"
#include "machine/gpu_timeline.h"
#include "results/results.h"

namespace t3sim {

struct PhaseRows {
  std::vector<StatRow> stats;
  std::vector<SeriesRow> series;
  std::vector<TimelineRow> timeline;
  std::vector<GpuTimeline> timelines;  // by GPU, with counters; only where asked for
};

// Scheme and phase are left empty.
PhaseRows collect_rows(const PhaseResult& result, const TimeBase& time, bool with_timelines = false);

}  // namespace t3sim
