// The rows of timeline.csv of a GPU and phase.
#pragma once

#include <vector>

#include "machine/gpu_timeline.h"
#include "results/results.h"

namespace t3sim {

// Scheme and phase are left empty. Coarse: transfers of a chunk to a GPU in batches of
// tiles, a slice a chunk for the Tracker's triggers.
std::vector<TimelineRow> timeline_rows(const GpuTimeline& timeline, std::uint32_t gpu, const TimeBase& time);

}  // namespace t3sim
