#include "machine/gpu_spec.h"

#include "base/number.h"
#include "interconnect/cards.h"

namespace t3sim {
namespace {

GpuOverride override_of(const Config& config, std::uint32_t rank) {
  const auto found = config.gpus.overrides.find(rank);
  return found == config.gpus.overrides.end() ? GpuOverride{} : found->second;
}

}  // namespace

TopologyConfig topology_of(const Config& config) {
  TopologyConfig topology = config.topology;
  topology.link.metadata_bytes = config.tracker.metadata_bytes;
  for (const auto& [gpu, own] : config.gpus.overrides)
    if (own.link_bandwidth_Bps) topology.own_bandwidth_Bps[gpu] = *own.link_bandwidth_Bps;
  return topology;
}

GpuSpec gpu_spec(const Config& config, std::uint32_t rank, ArbitrationKind arbitration) {
  const GpuOverride own = override_of(config, rank);
  const TopologyConfig topology = topology_of(config);
  GpuSpec spec;
  spec.rank = rank;
  spec.gpu = config.gpu;
  spec.gpu.clock_hz = own.clock_hz.value_or(config.gpu.clock_hz);
  if (config.workload.data == OperandData::zeros) {
    spec.gpu.matrix_clock_hz = config.gpu.zeros_clock_hz;
    spec.gpu.clock_beside_links.reset();
  }
  spec.gpu.matrix_flops_per_cycle = matrix_rate(config.gpu, gemm_spec(config, rank).type);
  spec.l2 = config.l2;
  MemoryConfig memory = config.memory;
  memory.clock_hz = own.memory_clock_hz.value_or(memory.clock_hz);
  spec.memory = with_arbitration(memory, config.arbitration,
                                 own.link_bandwidth_Bps.value_or(topology.link.bandwidth_Bps), arbitration);
  spec.dma = config.dma;
  spec.tracker = config.tracker;
  spec.link = topology.link;
  spec.ports = gpu_ports(topology, config.gpus.count, narrow<std::uint16_t>(rank));
  spec.put_cards = put_cards(topology, config.gpus.count, rank);
  const KernelTraits traits = kernel_traits(config);
  spec.l1_bytes = l1_bytes(config.gpu, traits, workgroups_per_cu(config.gpu, traits));
  spec.start_delay_ps = own.start_delay_ps.value_or(0);
  spec.series_interval_ps = config.run.series_interval_ps;
  return spec;
}

}  // namespace t3sim
