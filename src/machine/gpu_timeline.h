// What happened on a GPU in one phase, and when: the raw material of timeline.csv and of the Perfetto trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dma/dma_observer.h"
#include "gpu/kernel_run.h"
#include "machine/running.h"
#include "sim/busy_intervals.h"
#include "sim/time.h"

namespace t3sim {

struct TimelineSlice {
  std::string name;
  Tick start = 0, end = 0;
};

struct GpuTimeline {
  // Stages of a GEMM (section 2.5: as many workgroups as fit on the GPU at once), from the first one's
  // dispatch to the last one's retirement; of a collective kernel its steps.
  std::string group_track;  // "stage" or "step"; empty: no kernel
  std::vector<TimelineSlice> groups;
  Tick kernel_start = 0, kernel_end = 0;
  std::vector<WorkgroupTimes> workgroups;
  std::vector<Trigger> triggers;       // in the order in which they came
  std::vector<DmaTransfer> transfers;  // of blocks
  std::vector<std::string>
      ways;  // by GPU that is sent to: way_words() of interconnect/routes.h; may be empty
  struct Link {
    std::uint32_t to = 0;
    std::string name;  // of a link between switches; empty: this GPU's way to GPU `to`
    std::vector<BusyIntervals::Interval> busy;  // amount: bytes
    std::string track() const { return name.empty() ? "link to " + std::to_string(to) : "link " + name; }
  };
  std::vector<Link> links;
  // Over time, a value an interval. Only where asked for: of the GPU and of each channel.
  struct Counter {
    std::string component, name, unit;
    std::uint32_t number = 0;  // of a channel
    Tick interval = 0;
    std::vector<double> values;
  };
  std::vector<Counter> counters;
  // Chunk that a tile, numbered through, belongs to: "chunk 3"; "chunk 3 of array 1" where there are several.
  std::vector<std::string> chunk_names;
  std::vector<std::uint32_t> chunk_of;  // by tile: index into chunk_names
  Tick end = 0;                         // of the phase
};

class Gpu;

// " to GPU 3", and by which way.
std::string to_gpu(const GpuTimeline& timeline, std::uint32_t gpu);

// Of a finished phase. Without counters and the phase's end. `ways`: GpuTimeline::ways.
GpuTimeline timeline_of(const Gpu& gpu, std::vector<std::string> ways = {});
std::vector<GpuTimeline::Counter> counters_of(const Gpu& gpu);

// A slice a chunk, from its first to its last trigger.
std::vector<TimelineSlice> triggers_by_chunk(const GpuTimeline& timeline);

}  // namespace t3sim
