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
  library.compiled_efficiency = 0.5;
  use_kernel(config, library_kernel_name(name));
  return config;
}

TEST(ANamedKernel, OfCublasIsPersistentAndIsFilledOnce) {
  const Config config = named("nvjet_sm90_hsh_256x128_64x4_1x2_h_bz_coopA_NNT");
  EXPECT_EQ(config.workload.tile, (std::array<std::uint32_t, 3>{128, 256, 64}));
  EXPECT_EQ(config.workload.persistent, 8U);
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
}

double time_us(Config config) {
  Phase phase;
  phase.kernel.emplace();
  return run_phase(config, phase).time_us;
}

// 16 tiles of 64 KiB on 8 CUs: two a CU, one after the other.
Config two_tiles_a_cu() {
  Config config = named("nvjet_sm90_hsh_256x128_64x4_1x1_h_bz_coopA_NNT");
  config.workload.n = 512;
  return config;
}

TEST(ANamedKernel, StoresATileAtItsRateBeforeTheMatrixUnitHasTheNext) {
  Config config = two_tiles_a_cu();
  const double both_stored = 2 * 64 * 1024 / 28e3;  // us
  const double with = time_us(config);
  config.workload.store_bytes_per_cycle = 0;
  EXPECT_NEAR(with, time_us(config) + both_stored, 0.2 * both_stored);
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

}  // namespace
}  // namespace t3sim
