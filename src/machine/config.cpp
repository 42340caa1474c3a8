#include "machine/config.h"

#include <algorithm>

#include "base/number.h"
#include "kernel/gemm_kernel.h"
#include "plan/chunk_map.h"
#include "tracker/table_size.h"

namespace t3sim {

std::uint64_t matrix_rate(const GpuConfig& gpu, DataType type) {
  return std::max<std::uint64_t>(gpu.matrix_flops_per_cycle * 2 / element_bytes(type), 1);
}

KernelTraits kernel_traits(const Config& config) {
  return config.workload.generated ? GemmKernel(gemm_spec(config, 0)).traits() : config.workload.traits;
}

MemoryConfig with_arbitration(MemoryConfig memory, const ArbitrationSettings& settings,
                              std::uint64_t link_bandwidth_Bps, ArbitrationKind policy) {
  memory.arbitration.policy = policy;
  const auto& threshold = settings.threshold;
  const auto* bursts = std::get_if<std::uint64_t>(&threshold);
  const bool none = !bursts && std::get<ThresholdSetting>(threshold) == ThresholdSetting::none;
  memory.arbitration.threshold_bursts = bursts ? narrow<std::uint32_t>(*bursts)
                                        : none ? ArbitrationConfig::kNoThreshold
                                               : ArbitrationConfig::kAutoThreshold;
  memory.arbitration.starvation_limit_cycles = settings.starvation_limit_cycles;
  // What a link brings and what it takes, a channel's part of it.
  memory.arbitration.pace_cycles = narrow<std::uint32_t>(std::clamp<std::uint64_t>(
      kLineBytes * memory.channels * memory.clock_hz / (2 * link_bandwidth_Bps), 1, 1 << 30));
  return memory;
}

MemoryConfig memory_config(const Config& config, ArbitrationKind policy) {
  return with_arbitration(config.memory, config.arbitration, config.topology.link.bandwidth_Bps, policy);
}

TimeBase time_base(const Config& config) {
  std::vector<std::uint64_t> clocks{config.gpu.clock_hz, config.memory.clock_hz};
  for (const auto& [gpu, what] : config.gpus.overrides)
    for (const auto& clock : {what.clock_hz, what.memory_clock_hz})
      if (clock) clocks.push_back(*clock);
  return TimeBase(clocks);
}

std::uint32_t tracker_ways(const TrackerSettings& tracker) {
  if (const auto* entries = std::get_if<std::uint64_t>(&tracker.capacity))
    return narrow<std::uint32_t>(*entries / kTrackerSets);
  return std::get<TrackerCapacity>(tracker.capacity) == TrackerCapacity::paper ? kPaperTrackerWays : 0;
}

GemmSpec gemm_spec(const Config& config, std::uint32_t rank) {
  const WorkloadConfig& w = config.workload;
  GemmSpec spec;
  if (w.traced) {
    spec = *w.traced;
  } else {
    spec.shape = {w.m, w.n, w.k};
    spec.layout = w.layout;
    spec.tile = {w.tile[0], w.tile[1], w.tile[2]};
    spec.wavefronts = w.wavefronts;
    spec.buffers = w.buffers;
    spec.order.kind = w.order;
    spec.order.group = w.order_group;
    spec.order.serpentine = w.order_serpentine;
    spec.split_k = w.split_k;
    spec.persistent = w.persistent;
    spec.takes_next = w.takes_next;
    spec.type = w.type;
    spec.row_major_output = w.output == OutputLayout::row_major;
    spec.cluster = w.cluster;
    spec.cluster_along_n = w.cluster_along_n;
    spec.prologue_cycles = w.prologue_cycles;
    spec.store_bytes_per_cycle = w.store_bytes_per_cycle;
    spec.split_workspace = w.split_workspace;
    spec.bypass_l1 = w.bypass_l1;
    spec.place(0);
  }
  const ChunkMap chunks(spec.c().grid, config.gpus.count);
  spec.order.start_tile = chunks.first_tile(rank);
  return spec;
}

unsigned workgroups_per_cu(const GpuConfig& gpu, const KernelTraits& traits) {
  if (traits.workgroups_per_cu != 0) return traits.workgroups_per_cu;
  std::uint64_t fit = gpu.threads_per_cu / (traits.wavefronts * gpu.wavefront_threads);
  if (traits.register_bytes != 0) fit = std::min(fit, gpu.registers_bytes / traits.register_bytes);
  if (traits.lds_bytes != 0) fit = std::min(fit, gpu.lds_bytes / traits.lds_bytes);
  return narrow<unsigned>(std::min<std::uint64_t>(fit, 32));
}

std::uint64_t l1_bytes(const GpuConfig& gpu, const KernelTraits& traits, unsigned workgroups) {
  const std::uint64_t lds = workgroups * traits.lds_bytes;
  return lds < gpu.l1_lds_bytes ? gpu.l1_lds_bytes - lds : 0;
}

}  // namespace t3sim
