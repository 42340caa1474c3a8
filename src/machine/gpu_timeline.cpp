#include "machine/gpu_timeline.h"

#include <fmt/format.h>

#include "base/number.h"
#include "machine/gpu_stats.h"

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

std::string chunk_name(const CollectiveArrays& arrays, std::uint32_t array, std::uint32_t chunk) {
  return arrays.arrays == 1 ? fmt::format("chunk {}", chunk)
                            : fmt::format("chunk {} of array {}", chunk, array);
}

void add_steps(const Gpu& gpu, const CollectiveSteps& collective, GpuTimeline& t) {
  const std::vector<KernelStep>& steps = collective.plan->gpus[gpu.spec().rank];
  t.group_track = "step";
  t.groups = grouped(
      t.workgroups, narrow<std::uint32_t>(steps.size()),
      [&](std::uint32_t w) { return collective.kernel->step(w); },
      [&](std::uint32_t s) {
        return fmt::format("step {}: {}{}", s, chunk_name(collective.arrays, steps[s].array, steps[s].chunk),
                           to_gpu(t, steps[s].gpu));
      });
}

void add_kernel(const Gpu& gpu, const RunningKernel& kernel, GpuTimeline& t) {
  t.kernel_start = kernel.run->setup().start;
  t.kernel_end = gpu.time_of(kernel);
  t.workgroups = kernel.run->times();
  if (kernel.launch.steps.kernel) return add_steps(gpu, kernel.launch.steps, t);
  t.group_track = "stage";
  t.groups = grouped(
      t.workgroups, kernel.stages(), [&](std::uint32_t w) { return w / kernel.run->setup().first_stage; },
      [](std::uint32_t s) { return fmt::format("{}", s); });
}

void add_collective(const RunningCollective& collective, GpuTimeline& t) {
  const CollectiveArrays& arrays = collective.program.arrays;
  const std::uint32_t chunks = arrays.chunks.chunks();
  for (std::uint32_t a = 0; a < arrays.arrays; ++a)
    for (std::uint32_t c = 0; c < chunks; ++c) t.chunk_names.push_back(chunk_name(arrays, a, c));
  for (std::uint32_t tile = 0; tile < arrays.tiles(); ++tile)
    t.chunk_of.push_back(arrays.array_of(tile) * chunks + arrays.chunk_of(tile));
  t.triggers = collective.triggers;
}

}  // namespace

std::string to_gpu(const GpuTimeline& timeline, std::uint32_t gpu) {
  return fmt::format(" to GPU {}{}", gpu, gpu < timeline.ways.size() ? timeline.ways[gpu] : "");
}

GpuTimeline timeline_of(const Gpu& gpu, std::vector<std::string> ways) {
  GpuTimeline t;
  t.ways = std::move(ways);
  if (!gpu.kernels().empty()) add_kernel(gpu, *gpu.kernels().back(), t);
  if (gpu.collective()) add_collective(*gpu.collective(), t);
  t.transfers = gpu.dma_account().transfers();
  for (const auto& port : gpu.parts().egress->ports())
    for (unsigned lane = 0; lane < port->gpus().size(); ++lane)
      if (const auto& busy = port->sending(lane).intervals(); !busy.empty())
        t.links.push_back({port->gpus()[lane], {}, busy});
  return t;
}

std::vector<GpuTimeline::Counter> counters_of(const Gpu& gpu) {
  std::vector<GpuTimeline::Counter> counters;
  const auto add = [&](const std::string& component, std::uint32_t number, const std::string& name,
                       const std::string& unit, const Series& series, std::uint64_t divisor) {
    GpuTimeline::Counter counter{component, name, unit, number, series.interval(), {}};
    for (const std::uint64_t bin : series.bins())
      counter.values.push_back(real(bin) / real(std::max<std::uint64_t>(divisor, 1)));
    if (!counter.values.empty()) counters.push_back(std::move(counter));
  };
  visit_series(gpu, [&](const std::string& component, const std::string& name, const std::string& unit,
                        const Series& series,
                        std::uint64_t divisor) { add(component, 0, name, unit, series, divisor); });
  const auto& channels = gpu.parts().channels;
  for (std::uint32_t c = 0; c < channels.size(); ++c) {
    const Channel& channel = *channels[c];
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
