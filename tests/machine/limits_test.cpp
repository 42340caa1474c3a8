// Closed forms in the limits: where one resource decides, the time is what that resource takes.
#include <gtest/gtest.h>

#include "draws.h"
#include "machine/small_cluster.h"

namespace t3sim {
namespace {

// 4 GPUs of 8 CUs and 8 channels (256 GB/s) with whole tiles: 4 MiB of output.
Config ring_config(std::uint32_t gpus = 4) {
  Config config = small_config(gpus, 512 * gpus, 1024, 32, GpuModel::mirror);
  config.topology.link.bandwidth_Bps = 20'000'000'000;
  return config;
}

double output_bytes(const Config& config) { return 2.0 * config.workload.m * config.workload.n; }

double latency_us(const Config& config) {
  return static_cast<double>(config.topology.link.latency_ps) * 1e-6;
}

// (N-1)/N S / bandwidth, in microseconds.
double link_us(const Config& config) {
  const double n = config.gpus.count;
  return (n - 1) / n * output_bytes(config) / static_cast<double>(config.topology.link.bandwidth_Bps) * 1e6;
}

// The same, and a latency a step.
double ring_us(const Config& config) {
  return link_us(config) + (config.gpus.count - 1) * latency_us(config);
}

class LinkBound : public testing::TestWithParam<std::uint32_t> {};

TEST_P(LinkBound, NearMemoryReduceScatterTakesTheLinksTime) {
  const Config config = ring_config(GetParam());
  const double time = run_phase(config, near_memory_phase()).time_us;
  EXPECT_GE(time,
            link_us(config) + latency_us(config));  // blocks follow one another: only one latency is exposed
  EXPECT_LE(time, ring_us(config) * 1.03);
}

TEST_P(LinkBound, AllGatherTakesTheLinksTime) {
  const Config config = ring_config(GetParam());
  const double time = run_phase(config, gather_phase()).time_us;
  EXPECT_GE(time, ring_us(config) * 0.999);
  EXPECT_LE(time, ring_us(config) * 1.03);
}

TEST_P(LinkBound, KernelReduceScatterTakesTheLinksTimeAndItsLastReduction) {
  const Config config = ring_config(GetParam());
  const double time = run_phase(config, scatter_phase()).time_us;
  // At the end a chunk is read twice and written once: at least what DRAM takes for that, at most thrice
  // that.
  const double dram =
      3 * output_bytes(config) / config.gpus.count / config.memory.peak_bytes_per_second() * 1e6;
  EXPECT_GE(time, ring_us(config) + dram);
  EXPECT_LE(time, ring_us(config) * 1.03 + 3 * dram);
}

INSTANTIATE_TEST_SUITE_P(Gpus, LinkBound, testing::Values(2U, 4U, 8U),
                         [](const auto& p) { return "Gpus" + std::to_string(p.param); });

TEST(Limits, HalfTheBandwidthDoublesALinkBoundRing) {
  Config config = ring_config();
  const double fast = run_phase(config, near_memory_phase()).time_us;
  config.topology.link.bandwidth_Bps /= 2;
  EXPECT_NEAR(run_phase(config, near_memory_phase()).time_us / fast, 2, 0.05);
}

TEST(Limits, EachStepOfASmallRingCostsALatency) {
  Config config = small_config(8, 1024, 128, 32, GpuModel::mirror);
  const auto time_at = [&](std::uint64_t latency_ps) {
    config.topology.link.latency_ps = latency_ps;
    return run_phase(config, near_memory_phase()).time_us;
  };
  EXPECT_NEAR(time_at(20'000'000) - time_at(10'000'000), 7 * 10, 0.5);
}

// Without latency and with a link as fast as it gets, memory decides: N-1 chunks read, N-1 chunks updated.
TEST(Limits, ARingOverFastLinksTakesAtLeastTheTimeOfItsMemoryTraffic) {
  Config config = ring_config();
  config.topology.link.latency_ps = 1000;
  config.topology.link.bandwidth_Bps = 10'000'000'000'000;
  const PhaseResult result = run_phase(config, near_memory_phase());
  const double bytes = static_cast<double>(result.dram.read(Traffic::rs) + result.dram.written(Traffic::rs));
  const double dram = bytes / config.memory.peak_bytes_per_second() * 1e6;
  EXPECT_GE(result.time_us, dram);
  EXPECT_LE(result.time_us, 5 * dram);
  EXPECT_LT(result.time_us, ring_us(ring_config()) / 3);
}

TEST(Limits, AComputeBoundGemmTakesItsFlopsOverTheRate) {
  T3_SKIP_IF_SANITIZED();
  Config config = small_config(2, 1024, 1024, 2048, GpuModel::mirror);  // 64 tiles: 4 whole stages of 8 x 2
  config.gpu.matrix_issue_efficiency = 1.0;
  config.gpu.matrix_flops_per_cycle = 64;  // slow enough for memory not to matter
  const double flops = 2.0 * 1024 * 1024 * 2048;
  const double time = flops / (8 * 64 * 1.4e9) * 1e6;
  const PhaseResult result = run_phase(config, gemm_phase());
  EXPECT_GE(result.time_us, time);
  EXPECT_LE(result.time_us, time * 1.02);
}

TEST(Limits, AComputeBoundGemmTakesLongerAtItsIssueEfficiency) {
  Config config = small_config(2, 1024, 512, 1024, GpuModel::mirror);
  config.gpu.matrix_flops_per_cycle = 64;
  config.gpu.matrix_issue_efficiency = 1.0;
  const double full = run_phase(config, gemm_phase()).time_us;
  config.gpu.matrix_issue_efficiency = 0.5;
  EXPECT_NEAR(run_phase(config, gemm_phase()).time_us / full, 2, 0.04);
}

TEST(Limits, AGemmTakesWholeStages) {
  T3_SKIP_IF_SANITIZED();
  const auto time_of = [](std::uint32_t columns_of_tiles) {
    Config config = small_config(2, 1024, 128 * columns_of_tiles, 1024, GpuModel::mirror);
    config.gpu.matrix_flops_per_cycle = 64;
    return run_phase(config, gemm_phase()).time_us;  // 8 CUs x 2 workgroups: two columns a stage
  };
  const double two_stages = time_of(4);
  EXPECT_NEAR(time_of(2) / two_stages, 0.5, 0.02);
  EXPECT_NEAR(time_of(8) / two_stages, 2, 0.02);
}

// Few FLOPs for many bytes: DRAM decides. Most bytes are output, whose write-backs mostly miss their DRAM
// row: two thirds of the peak is what the banks give.
TEST(Limits, ABandwidthBoundGemmKeepsDramBusy) {
  Config config = small_config(2, 4096, 2048, 64, GpuModel::mirror);
  config.gpu.cus = 32;
  config.gpu.matrix_flops_per_cycle = 1 << 20;
  config.gpu.matrix_issue_efficiency = 1.0;
  const PhaseResult result = run_phase(config, gemm_phase());
  const auto bytes =
      static_cast<double>(result.dram.read(Traffic::gemm) + result.dram.written(Traffic::gemm));
  const double seconds = time_base(config).to_us(result.gpus[0]->drained()) * 1e-6;
  const double rate = bytes / seconds / config.memory.peak_bytes_per_second();
  EXPECT_LE(rate, 1.0);
  EXPECT_GE(rate, 0.60) << "share of the peak";
}

// With an L2 that holds all of A and B, each is read once.
TEST(Limits, AGemmThatFitsTheL2ReadsItsInputsOnce) {
  Config config = small_config(2, 512, 512, 512, GpuModel::mirror);
  config.l2.size_bytes = 16 << 20;
  const PhaseResult result = run_phase(config, gemm_phase());
  EXPECT_EQ(result.dram.read(Traffic::gemm), 2U * 512 * 512 * 2);
}

// A fused run can be no faster than the slower of its two halves, and no slower than both in turn.
TEST(Limits, AFusedRunLiesBetweenItsLongerPartAndTheSumOfBoth) {
  T3_SKIP_IF_SANITIZED();
  Config config = ring_config();
  config.workload.k = 1024;
  const double gemm = run_phase(config, gemm_phase()).time_us;
  const double scatter = run_phase(config, near_memory_phase()).time_us;
  for (ArbitrationKind arbitration : {ArbitrationKind::round_robin, ArbitrationKind::mca}) {
    const double fused = run_phase(config, fused_phase(arbitration)).time_us;
    EXPECT_GE(fused, 0.98 * std::max(gemm, scatter));
    EXPECT_LE(fused, gemm + scatter);
  }
}

// Workgroups of all CUs wait for different tiles at the same time: whoever waits must be told once, not over
// and over.
TEST(Limits, CollectiveKernelsThatWaitTileByTileEndWhateverTheirNumberOfWorkgroups) {
  Config config = small_config(8, 1024, 1024, 32, GpuModel::mirror);
  config.gpu.cus = 2;
  config.gpu.collective_sync = CollectiveSync::tile;
  config.gpu.collective_workgroups_per_cu = 8;
  config.topology.link.bandwidth_Bps = 5'000'000'000;
  const double time = run_phase(config, scatter_phase()).time_us;
  EXPECT_GE(time, ring_us(config));
  EXPECT_LE(time, ring_us(config) * 1.2);
}

TEST(Limits, AGpuThatStartsLateTakesWhatArrivesBeforeItStarts) {
  Config config = small_config(4, 512, 256, 64, GpuModel::explicit_);
  config.gpus.overrides[1].start_delay_ps = 50'000'000;
  for (const SmallPhase& phase : {fused_phase(), fused_phase(ArbitrationKind::mca), scatter_phase(),
                                  gather_phase(), near_memory_phase()}) {
    const PhaseResult result = run_phase(config, phase);
    EXPECT_GT(result.time_us, 50);
    EXPECT_LT(result.time_us, 100);
  }
}

}  // namespace
}  // namespace t3sim
