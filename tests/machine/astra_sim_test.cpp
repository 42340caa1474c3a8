// Ring reduce-scatters of ASTRA-sim, in its links' terms (150 GB/s of 2^30 bytes, 500 ns, memory not limiting),
// by whole GPUs: DMA engines that forward tiles, sums near memory. Within 5 %.
//
// Its times of 1 and 6 MiB leave no room for what it does not model: a kernel's way to memory, about a
// microsecond a step. tests/interconnect/closed_forms_test.cpp has them, link by link.
#include <gtest/gtest.h>

#include "draws.h"
#include "machine/small_cluster.h"

namespace t3sim {
namespace {

struct AstraSim {
  std::uint32_t gpus, mebibytes;
  double microseconds;
};
void PrintTo(const AstraSim& a, std::ostream* os) { *os << a.mebibytes << " MiB on " << a.gpus; }

// Memory of 2 TB/s, no launch.
Config machine(const AstraSim& a) {
  Config config = small_config(a.gpus, 4096, a.mebibytes * 128, 64, GpuModel::mirror);
  config.topology.link.bandwidth_Bps = 150ULL << 30;
  config.topology.link.latency_ps = 500'000;
  config.gpu.cus = 80;
  config.gpu.kernel_launch_cycles = 0;
  config.memory.channels = 64;
  config.l2.slices = 128;
  config.l2.size_bytes = 16 << 20;
  return config;
}

class RingReduceScatter : public testing::TestWithParam<AstraSim> {};

TEST_P(RingReduceScatter, TakesAsLongAsInAstraSim) {
  if (GetParam().mebibytes > 24) T3_SKIP_IF_SANITIZED();
  const PhaseResult result = run_phase(machine(GetParam()), near_memory_phase());
  EXPECT_NEAR(result.time_us, GetParam().microseconds, 0.05 * GetParam().microseconds);
}

INSTANTIATE_TEST_SUITE_P(Peers, RingReduceScatter,
                         testing::Values(AstraSim{4, 24, 118.8}, AstraSim{8, 24, 140.4},
                                         AstraSim{4, 96, 470.5}, AstraSim{8, 96, 550.7},
                                         AstraSim{4, 192, 939.5}, AstraSim{8, 192, 1097.9}));

}  // namespace
}  // namespace t3sim
