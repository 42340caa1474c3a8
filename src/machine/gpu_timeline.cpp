// What a finished phase has left of its course on a GPU.
#include <fmt/format.h>

#include "machine/gpu.h"

namespace t3sim {
namespace {

// From the first dispatch to the last retirement of each group of workgroups.
template <class GroupOf, class Name>
std::vector<TimelineSlice> grouped(const std::vector<WorkgroupTimes>& times, std::uint32_t groups,
                                   const GroupOf& group_of, const Name& name) {
  std::vector<TimelineSlice> slices(groups, TimelineSlice{"", kNever, 0});
  for (std::uint32_t w = 0; w < times.size(); ++w) {
    TimelineSlice& slice = slices[group_of(w)];
    slice.start = std::min(slice.start, times[w].dispatched);
    slice.end = std::max(slice.end, times[w].retired);
  }
  for (std::uint32_t g = 0; g < groups; ++g) slices[g].name = name(g);
  std::erase_if(slices, [](const TimelineSlice& slice) { return slice.start == kNever; });
  return slices;
}

}  // namespace

std::uint32_t Gpu::stages() const {
  const std::uint32_t stage = kernel_->setup().first_stage;
  return stage == 0 ? 0 : (kernel_->total() + stage - 1) / stage;
}

std::string Gpu::chunk_name(std::uint32_t array, std::uint32_t chunk) const {
  return collective_.arrays == 1 ? fmt::format("chunk {}", chunk)
                                 : fmt::format("chunk {} of array {}", chunk, array);
}

GpuTimeline Gpu::timeline() const {
  GpuTimeline t;
  if (kernel_) {
    t.kernel_start = kernel_->setup().start;
    t.kernel_end = kernel_time();
    t.workgroups = kernel_->times();
    if (chunk_kernel_) {
      const std::vector<KernelStep>& steps = phase_.steps->gpus[rank_];
      t.group_track = "step";
      t.groups = grouped(
          t.workgroups, static_cast<std::uint32_t>(steps.size()),
          [&](std::uint32_t w) { return chunk_kernel_->step(w); },
          [&](std::uint32_t s) {
            return fmt::format("step {}: {} to GPU {}", s, chunk_name(steps[s].array, steps[s].chunk),
                               steps[s].gpu);
          });
    } else {
      t.group_track = "stage";
      t.groups = grouped(
          t.workgroups, stages(), [&](std::uint32_t w) { return w / kernel_->setup().first_stage; },
          [](std::uint32_t s) { return fmt::format("{}", s); });
    }
  }
  if (tracker_) {
    const std::uint32_t tiles = collective_.array.grid.tiles();
    const ChunkMap& chunks = collective_.chunks;
    for (std::uint32_t a = 0; a < collective_.arrays; ++a) {
      for (std::uint32_t c = 0; c < chunks.chunks(); ++c) t.chunk_names.push_back(chunk_name(a, c));
      for (std::uint32_t tile = 0; tile < tiles; ++tile)
        t.chunk_of.push_back(a * chunks.chunks() + chunks.chunk_of(tile));
    }
  }
  t.triggers = triggers_;
  t.transfers = dma_->transfers();
  for (const auto& port : egress_->ports())
    for (unsigned lane = 0; lane < port->gpus().size(); ++lane)
      if (const auto& busy = port->sending(lane).intervals(); !busy.empty())
        t.links.push_back({port->gpus()[lane], busy});
  return t;
}

std::vector<GpuTimeline::Counter> Gpu::counters() const {
  std::vector<GpuTimeline::Counter> counters;
  const auto add = [&](const std::string& component, std::uint32_t number, const std::string& name,
                       const std::string& unit, const Series& series, std::uint64_t divisor) {
    GpuTimeline::Counter counter{component, name, unit, number, series.interval(), {}};
    for (const std::uint64_t bin : series.bins())
      counter.values.push_back(static_cast<double>(bin) /
                               static_cast<double>(std::max<std::uint64_t>(divisor, 1)));
    if (!counter.values.empty()) counters.push_back(std::move(counter));
  };
  visit_series([&](const std::string& component, const std::string& name, const std::string& unit,
                   const Series& series,
                   std::uint64_t divisor) { add(component, 0, name, unit, series, divisor); });
  for (std::uint32_t c = 0; c < channels_.size(); ++c) {
    const Channel& channel = *channels_[c];
    const std::string name = fmt::format("channel {}", c);
    const Tick interval = channel.occupancy_series(Stream::compute).interval();
    add(name, c, "compute queue", "bursts", channel.occupancy_series(Stream::compute), interval);
    add(name, c, "communication queue", "bursts", channel.occupancy_series(Stream::communication), interval);
    for (const bool written : {false, true}) {
      Series sum(interval);
      for (int t = 0; t < kTraffics; ++t) sum += channel.series(static_cast<Traffic>(t), written);
      add(name, c, written ? "written" : "read", "bytes", sum, 1);
    }
  }
  return counters;
}

}  // namespace t3sim
