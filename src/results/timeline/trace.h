// The Perfetto trace of a run: a process a scheme and GPU, a track a component (docs/timeline.md).
#pragma once

#include <string>
#include <vector>

#include "machine/gpu_timeline.h"
#include "results/timeline/tracks.h"

namespace t3sim {

struct TracePhase {
  std::string name;
  Tick start = 0;  // since that of the scheme
  const std::vector<GpuTimeline>* gpus = nullptr;
};

struct TraceScheme {
  std::string name;
  std::vector<TracePhase> phases;
};

// Tracks are written from coarse to fine; one with which the trace would pass the limit is left out.
PerfettoTrace perfetto_trace(const std::vector<TraceScheme>& schemes, const TraceOptions& options,
                             const TimeBase& time);

}  // namespace t3sim
