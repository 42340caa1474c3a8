#include "system/validation/measured/simulated/row_machine.h"

#include <algorithm>

namespace t3sim {
namespace {

constexpr std::uint64_t kUsableLds = 227 << 10;

// Credits for what is under way between two GPUs, there and back.
std::uint64_t round_trip_bytes(const LinkConfig& link) {
  return 2 * (link.bandwidth_Bps / 1'000'000) * (2 * link.latency_ps / 1'000'000);
}

}  // namespace

Config row_machine(const MeasuredMachine& machine, std::uint32_t gpus) {
  Config config = machine.config;
  config.gpus.count = std::max(2U, gpus);
  config.gpus.model = GpuModel::mirror;
  config.topology.kind = TopologyKind::switched;
  config.topology.link.buffer_bytes =
      std::max(config.topology.link.buffer_bytes, round_trip_bytes(config.topology.link));
  config.topology.link.store_queue = std::max<std::uint64_t>(config.topology.link.store_queue, 512);
  config.gpu.l1_lds_bytes = std::min(config.gpu.l1_lds_bytes, kUsableLds);
  config.workload.m = config.workload.n = 256;
  config.workload.k = 64;
  return config;
}

}  // namespace t3sim
