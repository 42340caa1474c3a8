// A small machine and layer for tests: seconds of host time at most, every mechanism at work.
#pragma once

#include "system/config.h"
#include "system/node.h"

namespace t3sim {

inline Config small_config(std::uint32_t gpus, std::uint32_t m, std::uint32_t n, std::uint32_t k,
                           GpuModel model) {
  Config config;
  config.workload.name = "small";
  config.workload.m = m;
  config.workload.n = n;
  config.workload.k = k;
  config.gpus.count = gpus;
  config.gpus.model = model;
  config.gpu.cus = 8;
  config.memory.channels = 8;
  config.l2.slices = 16;
  config.l2.size_bytes = 1 << 20;
  return config;
}

inline PhaseResult run_phase(const Config& config, const Phase& phase,
                             std::vector<FunctionalGpu>* state = nullptr) {
  return Node(config, phase, time_base(config), state).run({});
}

inline Phase gemm_phase() { return {PhaseKind::gemm, ArbitrationKind::round_robin, nullptr}; }
inline Phase scatter_phase() { return {PhaseKind::reduce_scatter, ArbitrationKind::round_robin, nullptr}; }
inline Phase gather_phase() { return {PhaseKind::all_gather, ArbitrationKind::round_robin, nullptr}; }
inline Phase fused_phase(ArbitrationKind arbitration = ArbitrationKind::round_robin) {
  return {PhaseKind::fused, arbitration, fused_ring_reduce_scatter};
}
inline Phase near_memory_phase() {
  return {PhaseKind::dma_reduce_scatter, ArbitrationKind::round_robin, dma_ring_reduce_scatter};
}

}  // namespace t3sim
