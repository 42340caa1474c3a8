// A small machine and layer for tests: seconds of host time at most, every mechanism at work.
#pragma once

#include "machine/cluster.h"
#include "machine/config.h"
#include "run/collectives.h"

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

// The GEMM fused with a collective of its output.
inline Phase fused_by(std::shared_ptr<const CollectivePlan> plan) {
  Phase phase;
  phase.kernel = WorkloadKernel{.stores = WorkloadKernel::Stores::planned, .as_gemm = true};
  phase.tracked = std::move(plan);
  return phase;
}
inline Phase fused_by(CollectivePlan plan) {
  return fused_by(std::make_shared<const CollectivePlan>(std::move(plan)));
}

// A phase of ring reduce-scatter or all-gather, for as many GPUs as the configuration has.
struct SmallPhase {
  enum class What : std::uint8_t { gemm, scatter, gather, fused, near_memory };
  What what = What::gemm;
  ArbitrationKind arbitration = ArbitrationKind::round_robin;

  Phase of(const Config& config) const {
    const Collectives ring = collectives(config);
    Phase phase;
    phase.arbitration = arbitration;
    switch (what) {
      case What::gemm:
        phase.kernel = WorkloadKernel{.order = ring.fused, .as_gemm = true};
        break;
      case What::scatter:
        phase.steps = ring.kernel;
        break;
      case What::gather:
        phase.collective = Traffic::ag;
        phase.steps = ring.gather_after_kernel;
        break;
      case What::fused:
        phase = fused_by(ring.fused);
        phase.arbitration = arbitration;
        break;
      case What::near_memory:
        phase.tracked = ring.by_dma;
        break;
    }
    return phase;
  }
};

inline PhaseResult run_phase(const Config& config, const Phase& phase,
                             std::vector<FunctionalGpu>* state = nullptr) {
  return Cluster(config, phase, time_base(config), {.functional = state}).run({});
}
inline PhaseResult run_phase(const Config& config, const SmallPhase& phase,
                             std::vector<FunctionalGpu>* state = nullptr) {
  return run_phase(config, phase.of(config), state);
}
inline DramBytes expected_bytes(const Config& config, const SmallPhase& phase, std::uint32_t rank) {
  return expected_bytes(config, phase.of(config), rank);
}

inline SmallPhase gemm_phase() { return {SmallPhase::What::gemm}; }
inline SmallPhase scatter_phase() { return {SmallPhase::What::scatter}; }
inline SmallPhase gather_phase() { return {SmallPhase::What::gather}; }
inline SmallPhase fused_phase(ArbitrationKind arbitration = ArbitrationKind::round_robin) {
  return {SmallPhase::What::fused, arbitration};
}
inline SmallPhase near_memory_phase() { return {SmallPhase::What::near_memory}; }

}  // namespace t3sim
