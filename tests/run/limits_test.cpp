// What limits a phase: machines that are limited by one thing by construction.
#include "run/limits.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "machine/small_cluster.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kPlenty = 1'000'000'000'000;

// Memory, links and the CU's ports that take nearly no time, so that each test adds one thing that does.
Config wide_config(std::uint32_t m, std::uint32_t n, std::uint32_t k, std::uint32_t gpus = 2) {
  Config config = small_config(gpus, m, n, k, GpuModel::mirror);
  config.memory.clock_hz = 8'000'000'000;
  config.l2.bytes_per_cycle = 128;
  config.l2.input_queue = 256;
  config.l2.mshrs = 1024;
  config.l2.mshr_merge = 1024;
  config.l2.latency_cycles = 10;
  config.l2.dram_path_cycles = 10;
  config.gpu.noc_bytes_per_cycle = 128;
  config.gpu.noc_latency_cycles = 2;
  config.gpu.loads_in_flight = 1 << 20;
  config.topology.link.bandwidth_Bps = kPlenty;
  config.topology.link.latency_ps = 10'000;
  config.topology.link.buffer_bytes = 1 << 30;
  config.topology.link.store_queue = 1 << 16;
  config.dma.engines = 64;
  config.dma.buffer_bytes = 64 << 20;
  config.dma.lines_per_cycle = 32;
  return config;
}

// All shares, for the message of a test that fails.
std::string shares(const LimitTicks& ticks) {
  std::string text;
  for (int l = 0; l < kLimits; ++l)
    text += fmt::format("{} {:.3f}\n", to_string(static_cast<Limit>(l)),
                        ticks[static_cast<Limit>(l)] / ticks.total());
  return text;
}

void expect_limit(const char* expected, const Config& config, const SmallPhase& phase) {
  const PhaseResult result = run_phase(config, phase);
  EXPECT_EQ(phase_limits(result.use).limited_by, expected) << shares(limit_ticks(result.use));
}

TEST(Limit, OfALongProductIsTheMatrixUnits) {
  expect_limit("matrix_units", wide_config(1024, 1024, 512), gemm_phase());
}

TEST(Limit, OfAProductOfAFewRowsIsTheTilesPadding) {
  expect_limit("tile_padding", wide_config(16, 4096, 512), gemm_phase());
}

TEST(Limit, OfOneWorkgroupOnEightCusIsTooFewWorkgroups) {
  expect_limit("too_few_workgroups", wide_config(128, 128, 2048), gemm_phase());
}

TEST(Limit, OfAKernelThatIsLongInBeingLaunchedIsTheLaunch) {
  Config config = wide_config(512, 512, 64);
  config.gpu.kernel_launch_cycles = 100'000;
  expect_limit("launch", config, gemm_phase());
}

TEST(Limit, WithSlowMemoryIsDram) {
  Config config = wide_config(1024, 1024, 256);
  config.memory.clock_hz = 50'000'000;
  expect_limit("dram_bandwidth", config, gemm_phase());
}

TEST(Limit, WithALongWayToMemoryIsDramLatency) {
  Config config = wide_config(1024, 1024, 256);
  config.l2.dram_path_cycles = 20'000;
  expect_limit("dram_latency", config, gemm_phase());
}

TEST(Limit, WithAHandfulOfLoadsInFlightIsThese) {
  Config config = wide_config(1024, 1024, 256);
  config.l2.latency_cycles = 200;
  config.gpu.loads_in_flight = 4;
  expect_limit("loads_in_flight", config, gemm_phase());
}

TEST(Limit, WithANarrowL2IsTheL2) {
  Config config = wide_config(1024, 1024, 256);
  config.l2.bytes_per_cycle = 1;
  expect_limit("l2", config, gemm_phase());
}

TEST(Limit, WithALongWayToMemoryAndFewMshrsIsTheL2) {
  Config config = wide_config(1024, 1024, 256);
  config.l2.dram_path_cycles = 2'000;
  config.l2.mshrs = 2;
  expect_limit("l2", config, gemm_phase());
}

TEST(Limit, WithASlowL2IsItsLatency) {
  Config config = wide_config(1024, 1024, 256);
  config.l2.latency_cycles = 10'000;
  expect_limit("l2_latency", config, gemm_phase());
}

TEST(Limit, WithNarrowPortsOfTheCusIsThese) {
  Config config = wide_config(1024, 1024, 512);
  config.gpu.noc_bytes_per_cycle = 2;
  expect_limit("cu_port", config, gemm_phase());
}

// Output of 32 KiB a tile, and one group of 16 KiB to load for it.
TEST(Limit, WithNarrowPortsAndALargeOutputIsTheStorePath) {
  Config config = wide_config(1024, 1024, 32);
  config.gpu.noc_bytes_per_cycle = 1;
  expect_limit("store_path", config, gemm_phase());
}

TEST(Limit, WithASlowLinkIsTheLink) {
  Config config = wide_config(1024, 1024, 64, 4);
  config.topology.link.bandwidth_Bps = 5'000'000'000;
  for (const SmallPhase& phase : {scatter_phase(), gather_phase(), near_memory_phase(), fused_phase()})
    expect_limit("link_bandwidth", config, phase);
}

TEST(Limit, WithASmallBufferAtTheOtherEndOfALongLinkIsItsCredits) {
  Config config = wide_config(1024, 1024, 64, 4);
  config.topology.link.latency_ps = 1'000'000;
  config.topology.link.buffer_bytes = 4 << 10;
  for (const SmallPhase& phase : {scatter_phase(), gather_phase(), near_memory_phase(), fused_phase()})
    expect_limit("link_credits", config, phase);
}

TEST(Limit, OfAFewBytesOverALongLinkIsItsLatency) {
  Config config = wide_config(512, 128, 64, 4);
  config.topology.link.latency_ps = 100'000'000;
  for (const SmallPhase& phase : {scatter_phase(), gather_phase(), near_memory_phase()})
    expect_limit("link_latency", config, phase);
}

// The link's buffer is full because memory takes nothing: that is memory's fault, not the buffer's.
TEST(Limit, OfACollectiveBetweenSlowMemoriesIsDram) {
  Config config = wide_config(1024, 1024, 64, 4);
  config.memory.clock_hz = 50'000'000;
  config.topology.link.buffer_bytes = 4 << 10;
  for (const SmallPhase& phase : {scatter_phase(), gather_phase(), near_memory_phase()})
    expect_limit("dram_bandwidth", config, phase);
}

TEST(Limit, WithOneDmaEngineAndABufferOfFourLinesIsTheDma) {
  Config config = wide_config(1024, 1024, 64, 4);
  config.dma.engines = 1;
  config.dma.lines_per_cycle = 1;
  config.dma.buffer_bytes = 512;
  expect_limit("dma", config, near_memory_phase());
}

// Two workgroups share a set, and the second one's stores wait until the first one's tile is complete.
TEST(Limit, WithASmallTrackerOverALongLinkIsTheTracker) {
  Config config = wide_config(16384, 1024, 32);
  config.topology.link.latency_ps = 1'000'000'000;
  config.memory.parked_requests = 1;
  expect_limit("tracker", config, fused_phase());
}

TEST(Limit, OfAFusedPhaseWithALongProductIsTheMatrixUnits) {
  expect_limit("matrix_units", wide_config(1024, 1024, 1024, 4), fused_phase());
}

}  // namespace
}  // namespace t3sim
