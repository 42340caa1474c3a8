#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "draws.h"
#include "machine/gpu_stats.h"
#include "machine/small_cluster.h"

namespace t3sim {
namespace {

// 4 of the paper's GPUs, whole tiles: the case that mirror represents exactly.
Config alike(GpuModel model) {
  Config config;
  config.workload.m = 4096;
  config.workload.n = 2048;
  config.workload.k = 256;
  config.gpus.count = 4;
  config.gpus.model = model;
  return config;
}

class MirrorAndExplicit : public testing::TestWithParam<SmallPhase> {};

TEST_P(MirrorAndExplicit, AgreeInTimeAndBytes) {
  T3_SKIP_IF_SANITIZED();
  const PhaseResult one = run_phase(alike(GpuModel::mirror), GetParam());
  const PhaseResult all = run_phase(alike(GpuModel::explicit_), GetParam());
  EXPECT_NEAR(one.time_us, all.time_us, 0.02 * all.time_us);
  EXPECT_NEAR(static_cast<double>(one.dram.read(Traffic::gemm)),
              static_cast<double>(all.dram.read(Traffic::gemm)),
              0.02 * static_cast<double>(all.dram.read(Traffic::gemm)));
  DramBytes a = one.dram, b = all.dram;
  a.read(Traffic::gemm) = b.read(Traffic::gemm) = 0;
  EXPECT_EQ(a, b);
  EXPECT_EQ(one.link_bytes, all.link_bytes);
}

std::string phase_name(const testing::TestParamInfo<SmallPhase>& phase) {
  static constexpr const char* kNames[] = {"Gemm", "ReduceScatter", "AllGather", "Fused", "DmaReduceScatter"};
  const bool mca = phase.param.arbitration == ArbitrationKind::mca;
  return std::string(kNames[static_cast<int>(phase.param.what)]) + (mca ? "Mca" : "");
}

INSTANTIATE_TEST_SUITE_P(Phases, MirrorAndExplicit,
                         testing::Values(gemm_phase(), scatter_phase(), gather_phase(), fused_phase(),
                                         fused_phase(ArbitrationKind::mca), near_memory_phase()),
                         phase_name);

TEST(Cluster, GivesTheSameResultTwice) {
  const Config config = small_config(3, 700, 300, 128, GpuModel::explicit_);
  const PhaseResult a = run_phase(config, fused_phase(ArbitrationKind::mca));
  const PhaseResult b = run_phase(config, fused_phase(ArbitrationKind::mca));
  EXPECT_EQ(a.ticks, b.ticks);
  EXPECT_EQ(a.events, b.events);
  EXPECT_EQ(a.dram, b.dram);
}

// The partial results of GPU 0 never reach anyone: its neighbour's tracker waits for ever.
Phase phase_without_dma(const Config& config) {
  CollectivePlan plan = fused_ring_reduce_scatter(config.gpus.count);
  for (ChunkPlan& chunk : plan.gpus[0].chunks) chunk.dma.clear();
  Phase phase = fused_phase().of(config);
  phase.tracked = std::make_shared<const CollectivePlan>(plan);
  return phase;
}

TEST(Cluster, FindsThatNothingMovesAnyMoreAndSaysWhoWaits) {
  const Config config = small_config(4, 512, 128, 32, GpuModel::explicit_);
  try {
    run_phase(config, phase_without_dma(config));
    FAIL() << "a run that cannot end has ended";
  } catch (const NoProgressError& e) {
    const std::string text = e.what();
    EXPECT_TRUE(
        std::regex_search(text, std::regex("\nGPU 3 tracker tile ([01]) waits for 128 more sector updates")))
        << text;
    EXPECT_TRUE(std::regex_search(
        text, std::regex("\nGPU 3 dma tile ([01]) waits for GPU 3 tracker tile \\1: the updates")))
        << text;
    EXPECT_NE(text.find(" like it)\n"), std::string::npos) << text;
    EXPECT_LT(std::ranges::count(text, '\n'), 60) << text;
  }
}

TEST(Cluster, GpusThatStartLateOrRunSlowlyHoldUpTheRing) {
  Config config = small_config(4, 1024, 512, 128, GpuModel::explicit_);
  const double alike = run_phase(config, fused_phase()).time_us;
  config.gpus.overrides[2].start_delay_ps = 20'000'000;
  EXPECT_GT(run_phase(config, fused_phase()).time_us, alike + 10);
  config.gpus.overrides[2] = {};
  config.gpus.overrides[2].link_bandwidth_Bps = 20'000'000'000;
  EXPECT_GT(run_phase(config, fused_phase()).time_us, alike * 1.1);
}

// GPU 1 at half of GPU 0's clock, where the matrix units decide.
TEST(Cluster, AGpuOfHalfTheClockComputesForTwiceAsLong) {
  Config config = small_config(2, 512, 256, 512, GpuModel::explicit_);
  config.gpu.matrix_flops_per_cycle = 64;
  config.gpus.overrides[1].clock_hz = config.gpu.clock_hz / 2;
  const PhaseResult result = run_phase(config, gemm_phase());
  EXPECT_NEAR(static_cast<double>(result.gpus[1]->end()) / static_cast<double>(result.gpus[0]->end()), 2,
              0.05);
}

// ... and GPU 1's memory at half the clock, where memory decides.
TEST(Cluster, AMemoryOfHalfTheClockTakesTwiceAsLong) {
  Config config = small_config(2, 2048, 1024, 32, GpuModel::explicit_);
  config.gpu.matrix_flops_per_cycle = 1 << 20;
  config.memory.channels = 2;
  config.gpus.overrides[1].memory_clock_hz = config.memory.clock_hz / 2;
  const PhaseResult result = run_phase(config, gemm_phase());
  EXPECT_NEAR(static_cast<double>(result.gpus[1]->end()) / static_cast<double>(result.gpus[0]->end()), 2,
              0.3);
}

// Two of the three chunks that a GPU tracks share their sets, and over long links the first is not complete in time.
TEST(Tracker, HasTheStoresOfAllGpusThatWaitedForIt) {
  Config config = small_config(4, 256, 2048, 32, GpuModel::explicit_);
  config.workload.tile = {32, 32, 32};
  config.workload.wavefronts = 4;
  config.tracker.capacity = std::uint64_t{kTrackerSets} * 4;
  config.topology.link.latency_ps = 1'000'000'000;
  const PhaseResult result = run_phase(config, fused_phase());
  std::uint64_t sum = 0;
  for (const auto& gpu : result.gpus) {
    EXPECT_GT(stalled_stores(*gpu), 0U);
    sum += stalled_stores(*gpu);
  }
  EXPECT_EQ(result.stalled_stores, sum);
}

TEST(Tracker, OfAnyCapacityEndsWithTheSameBytes) {
  T3_SKIP_IF_SANITIZED();
  Config config = small_config(8, 2048, 4096, 32, GpuModel::mirror);
  const PhaseResult free = [&] {
    config.tracker.capacity = TrackerCapacity::unbounded;
    return run_phase(config, fused_phase());
  }();
  config.tracker.capacity = TrackerCapacity::paper;
  config.topology.link.bandwidth_Bps = 10'000'000'000;
  const PhaseResult tight = run_phase(config, fused_phase());
  EXPECT_EQ(free.stalled_stores, 0U);
  EXPECT_GT(tight.stalled_stores, 0U);
  EXPECT_EQ(free.dram.written(Traffic::rs), tight.dram.written(Traffic::rs));
  EXPECT_EQ(free.tracker.completed_entries, tight.tracker.completed_entries);
}

}  // namespace
}  // namespace t3sim
