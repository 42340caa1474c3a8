// GEMMs of libraries: traffic of tiles through a cache of two partitions, waves, clock, stores to the owner.
#include <gtest/gtest.h>

#include "validation/measured/estimate/fused_model.h"
#include "validation/measured/estimate/gemm_model.h"
#include "validation/measured/estimate/tile_cache.h"

namespace t3sim {
namespace {

TEST(ATileCache, fetches_once_what_both_sides_read_together_and_keeps_it_twice) {
  TileCache cache(1000, 4);
  cache.read(0, 100, 0);
  cache.read(0, 100, 1);
  cache.read(0, 100, 1);
  EXPECT_DOUBLE_EQ(cache.counts().read, 300);
  EXPECT_DOUBLE_EQ(cache.counts().dram, 100);
  EXPECT_DOUBLE_EQ(cache.counts().fabric,
                   50 + 50);  // each side asks for the half that has its home on the other
}

TEST(ATileCache, fetches_again_what_did_not_fit) {
  TileCache cache(100, 100);
  for (int sweep = 0; sweep < 2; ++sweep)
    for (std::size_t block = 0; block < 100; ++block) cache.read(block, 100, 0);
  EXPECT_DOUBLE_EQ(cache.counts().dram, 20000);
}

TEST(ATileCache, makes_room_for_finished_tiles) {
  TileCache cache(1000, 100);
  cache.read(0, 100, 0);
  for (std::size_t block = 1; block < 100; ++block) cache.write(block, 1000);
  cache.read(0, 100, 0);
  EXPECT_DOUBLE_EQ(cache.counts().dram, 200);
}

MeasuredMachine machine() {
  return load_machine(std::string(T3SIM_SOURCE_DIR) + "/configs/systems/h200-x4.yaml", {});
}

LibraryGemm one_wave() {
  LibraryGemm kernel;
  kernel.shape = {2048, 2048, 16384};
  kernel.tile_m = 128;
  kernel.tile_n = 256;
  kernel.workgroups = 128;
  kernel.persistent = kernel.pairs = true;
  return kernel;
}

TEST(ALibraryGemm, of_one_wave_reads_its_operands_from_memory_once) {
  const GemmTraffic traffic = gemm_traffic(machine(), one_wave());
  EXPECT_NEAR(traffic.dram_read / (2.0 * 16384 * 4096), 1, 0.02);
}

TEST(ALibraryGemm, takes_whole_waves) {
  const MeasuredMachine m = machine();
  LibraryGemm kernel = one_wave();
  kernel.workgroups = 132;
  kernel.shape.k = 64;  // short: the clock stays up
  const GemmTiming one = gemm_timing(m, kernel);
  kernel.shape.m += 128;  // eight tiles more than CUs
  const GemmTiming two = gemm_timing(m, kernel);
  EXPECT_EQ(one.waves, 1);
  EXPECT_EQ(two.waves, 2);
  EXPECT_NEAR(two.seconds - one.seconds, one.tile_s, 1e-9);
}

TEST(ALibraryGemm, leaves_to_late_CUs_the_tiles_that_are_left) {
  const MeasuredMachine m = machine();
  LibraryGemm kernel = one_wave();
  kernel.workgroups = 132;
  kernel.shape.m = 128 * 10 * 132 / 8;  // ten waves of 132 tiles
  GemmSurroundings beside;
  beside.clock_share = 1;
  const GemmTiming alone = gemm_timing(m, kernel, beside);
  ASSERT_EQ(alone.waves, 10);
  beside.held_cus = 12;
  const auto waves_lost = [&](double held_tiles) {
    beside.held_s = held_tiles * alone.tile_s;
    return (gemm_timing(m, kernel, beside).seconds - alone.seconds) / alone.tile_s;
  };
  EXPECT_NEAR(waves_lost(0), 0, 1e-6);
  EXPECT_NEAR(waves_lost(10), 1, 1e-6);     // 1320 tiles in 11 waves of 120
  EXPECT_NEAR(waves_lost(0.5), 0.5, 1e-6);  // the late CUs do their ten, and end late
  EXPECT_NEAR(waves_lost(1.5), 1, 1e-6);    // ten and a half are too short: 120 x 10 + 12 x 9
  EXPECT_NEAR(waves_lost(1000), 1, 1e-6);
}

TEST(ALibraryGemm, lowers_the_clock_when_the_matrix_units_are_busy_and_not_otherwise) {
  MeasuredMachine m = machine();
  m.config.execution.power.matrix_share = 2;
  LibraryGemm kernel = one_wave();
  const double busy = gemm_timing(m, kernel).clock_share;
  kernel.shape.k = 64;
  EXPECT_LT(busy, 0.9);
  EXPECT_EQ(gemm_timing(m, kernel).clock_share, 1);
  GemmSurroundings rest;
  rest.series.pause_s = 1;
  EXPECT_EQ(gemm_timing(m, one_wave(), rest).clock_share, 1);
}

LibraryGemm to_owner() {
  LibraryGemm kernel;
  kernel.shape = {16384, 3072, 192};
  kernel.workgroups = static_cast<std::uint32_t>(kernel.tiles());
  kernel.compiled = true;
  return kernel;
}

// Three quarters of the output leave each GPU, over links that are the only limit.
TEST(AKernelThatStoresToTheOwner, is_limited_by_the_links_when_shifted) {
  MeasuredMachine m = machine();
  m.config.topology.link.bandwidth_Bps = 50'000'000'000;
  const double link = 0.75 * 2 * 16384 * 3072 / (m.link_Bps() * m.config.estimate.tile_link_share);
  const double time = fused_store_seconds(m, to_owner(), 4, TileOrder::shifted);
  EXPECT_GT(time, link);
  EXPECT_LT(time, 1.15 * link);
}

// All but one GPU want the same link into the owner.
TEST(AKernelThatStoresToTheOwner, is_slower_when_all_begin_at_the_same_owner) {
  const MeasuredMachine m = machine();
  const double naive = fused_store_seconds(m, to_owner(), 4, TileOrder::naive);
  const double shifted = fused_store_seconds(m, to_owner(), 4, TileOrder::shifted);
  EXPECT_GT(naive, 1.4 * shifted);
}

TEST(AKernelThatStoresToTheOwner, takes_as_long_as_the_gemm_when_links_cost_nothing) {
  MeasuredMachine m = machine();
  m.config.topology.link.bandwidth_Bps = 90'000'000'000'000;
  const GemmTiming gemm = gemm_timing(m, to_owner());
  EXPECT_NEAR(fused_store_seconds(m, to_owner(), 4, TileOrder::shifted) / (gemm.waves * gemm.tile_s), 1,
              0.02);
}

}  // namespace
}  // namespace t3sim
