// A library's kernel by its name, as keys of the workload and the machine.
#include "machine/named_kernel.h"

#include <gtest/gtest.h>

#include "machine/small_cluster.h"

namespace t3sim {
namespace {

Config named(const char* name) {
  Config config = small_config(2, 1024, 1024, 256, GpuModel::mirror);
  config.gpu.cus = 8;
  config.gpu.clock_hz = 1'000'000'000;
  config.gpu.l1_lds_bytes = config.gpu.lds_bytes = config.gpu.registers_bytes = 256 << 10;
  GemmExecutionConfig& library = config.execution.gemm;
  library.tile_fill_ps = 1'000'000;
  library.workgroup_start_ps = 200'000;
  library.launch_ps = 3'000'000;
  library.library_launch_ps = 5'000'000;
  library.tile_bytes_per_cycle = 25;
  library.library_tile_bytes_per_cycle = 28;
  library.matrix_efficiency = 0.75;
  library.compiled_efficiency = 0.625;
  library.compiled_pair_efficiency = 0.5;
  use_kernel(config, library_kernel_name(name));
  return config;
}

TEST(ANamedKernel, OfCublasIsPersistentAndIsFilledOnce) {
  const Config config = named("nvjet_sm90_hsh_256x128_64x4_1x2_h_bz_coopA_NNT");
  EXPECT_EQ(config.workload.tile, (std::array<std::uint32_t, 3>{128, 256, 64}));
  EXPECT_EQ(config.workload.persistent, 8U);
  EXPECT_TRUE(config.workload.takes_next);
  EXPECT_EQ(config.workload.cluster, 2U);
  EXPECT_EQ(config.workload.prologue_cycles, 1000U);
  EXPECT_EQ(config.workload.store_bytes_per_cycle, 28);
  EXPECT_EQ(config.gpu.matrix_issue_efficiency, 0.75);
  EXPECT_EQ(config.gpu.kernel_launch_cycles, 5000U);
}

TEST(ANamedKernel, OfTritonStartsAWorkgroupForEveryTile) {
  const Config config = named("triton_128x256x64_s3_g8");
  EXPECT_EQ(config.workload.persistent, 0U);
  EXPECT_EQ(config.workload.cluster, 1U);
  EXPECT_EQ(config.workload.prologue_cycles, 1200U);
  EXPECT_EQ(config.workload.store_bytes_per_cycle, 25);
  EXPECT_EQ(config.gpu.matrix_issue_efficiency, 0.5);
  EXPECT_EQ(config.gpu.kernel_launch_cycles, 3000U);
  EXPECT_EQ(named("triton_128x128x64_s4_g8").gpu.matrix_issue_efficiency, 0.625);
  EXPECT_EQ(named("triton_128x256x64_s4_g8").gpu.matrix_issue_efficiency, 0.625);  // enough in flight
}

double time_us(Config config) {
  Phase phase;
  phase.kernel.emplace();
  return run_phase(config, phase).time_us;
}

// Tiles of 64 KiB, so many a CU of 8, one after the other.
Config tiles_a_cu(std::uint32_t tiles) {
  Config config = named("nvjet_sm90_hsh_256x128_64x4_1x1_h_bz_coopA_NNT");
  config.workload.n = tiles * 256;
  return config;
}
Config two_tiles_a_cu() { return tiles_a_cu(2); }
double product_us(const Config& config) {
  return 2.0 * 128 * 256 * config.workload.k / static_cast<double>(config.gpu.matrix_flops_per_cycle) /
         config.gpu.matrix_issue_efficiency * 1e-3;
}

TEST(ANamedKernel, StoresATileAtItsRateBeforeTheMatrixUnitHasTheNext) {
  const auto two_more_us = [](double rate) {
    Config two = tiles_a_cu(2), four = tiles_a_cu(4);
    two.workload.store_bytes_per_cycle = four.workload.store_bytes_per_cycle = rate;
    return time_us(four) - time_us(two);
  };
  const double both_stored = 2 * 64 * 1024 / 28e3;  // us
  EXPECT_NEAR(two_more_us(28), two_more_us(0) + both_stored, 0.05 * both_stored);
}

TEST(ANamedKernel, LoadsForTheNextTileMeanwhileWhereItIsPersistent) {
  Config config = two_tiles_a_cu();
  config.workload.prologue_cycles = 0;
  config.l2.latency_cycles = 1000;
  config.gpu.noc_bytes_per_cycle = 128;
  const double persistent = time_us(config);
  config.workload.persistent = 0;
  EXPECT_GT(time_us(config), persistent + 0.8);  // of the first load's 1 us and more
}

// Four K steps, four buffers: what the second tile multiplies is there when the first one's sums have left the registers.
TEST(ANamedKernel, HasTheNextTilesOperandsBeforeItHasStoredATile) {
  const auto time_of = [](std::uint32_t tiles) {
    Config config = tiles_a_cu(tiles);
    config.l2.latency_cycles = 1000;
    config.gpu.noc_bytes_per_cycle = 128;
    return time_us(config);
  };
  EXPECT_NEAR(time_of(3) - time_of(2), product_us(tiles_a_cu(1)) + 64 * 1024 / 28e3, 0.1);
}

TEST(ANamedKernel, TakesLongerByItsProductsAloneWhereTheClockFallsWithThem) {
  Config config = two_tiles_a_cu();
  const double before = time_us(config);
  config.gpu.matrix_clock_hz = 800'000'000;
  config.gpu.zeros_clock_hz = 900'000'000;
  const double product_us = 2 * 2.0 * 128 * 256 * 256 /
                            static_cast<double>(config.gpu.matrix_flops_per_cycle) /
                            config.gpu.matrix_issue_efficiency * 1e-3;
  EXPECT_NEAR(time_us(config) - before, product_us / 4, 0.02 * product_us);
  config.workload.data = OperandData::zeros;
  EXPECT_NEAR(time_us(config) - before, product_us / 9, 0.02 * product_us);
}

}  // namespace
}  // namespace t3sim
