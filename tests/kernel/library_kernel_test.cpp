// Kernels of libraries by their names, and what the generator makes of cluster, epilogue and order.
#include "kernel/library_kernel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "base/csv.h"
#include "base/error.h"
#include "base/number.h"
#include "kernel/gemm_kernel.h"

namespace t3sim {
namespace {

TEST(AKernelName, of_cublas_says_tile_steps_cluster_and_order) {
  const LibraryKernelName k = library_kernel_name("nvjet_sm90_hsh_160x256_64x3_2x1_v_bz_coopA_NNN");
  EXPECT_EQ(k.tile, (TileShape{256, 160, 64}));  // its first length runs along the n of a row-major C
  EXPECT_EQ(k.buffers, 3U);
  EXPECT_EQ(k.cluster, 2U);
  EXPECT_TRUE(k.cluster_along_n);
  EXPECT_TRUE(k.persistent);
  EXPECT_FALSE(k.bands_across_n);
}

TEST(AKernelName, is_written_as_it_is_read) {
  for (const char* name : {"nvjet_sm90_hsh_256x128_64x4_1x2_h_bz_coopA_splitK_NNT", "triton_128x256x64_s3_g8",
                           "nvjet_sm90_hsh_192x192_64x3_2x1_v_bz_coopB_NNN"}) {
    const LibraryKernelName k = library_kernel_name(name);
    EXPECT_EQ(library_kernel_name(to_string(k)), k) << to_string(k);
  }
}

TEST(AKernelName, that_is_none_is_refused) {
  for (const char* name :
       {"", "nvjet_", "nvjet_256x128", "nvjet_256x128_64x4", "triton_128x128", "cutlass_80",
        "nvjet_256x128_64x4_2x2", "nvjet_0x128_64x4_1x2", "nvjet_256x128_64x4_99x99", "triton_axbxc"})
    EXPECT_THROW(library_kernel_name(name), InputError) << name;
}

// The grids that a profiler gave for split-K kernels: 128 workgroups, so 8, 4 and 16 a tile.
TEST(SplitK, fills_the_gpu_with_a_power_of_two_of_parts) {
  const auto parts = [](const char* name, GemmShape shape) {
    GemmSpec spec;
    spec.shape = shape;
    apply(library_kernel_name(name), 132, spec);
    return spec.split_k;
  };
  EXPECT_EQ(parts("nvjet_sm90_hsh_256x128_64x4_1x2_h_bz_coopA_splitK_NNT", {256, 2048, 131072}), 8U);
  EXPECT_EQ(parts("nvjet_sm90_hsh_256x128_64x4_1x2_h_bz_coopA_splitK_NNT", {1024, 1024, 262144}), 4U);
  EXPECT_EQ(parts("nvjet_sm90_hsh_128x128_64x6_2x1_v_bz_splitK_NNT", {128, 1024, 262144}), 16U);
}

// What H200's profiles name.
TEST(TheRuleForUnnamedShapes, chooses_what_the_library_does) {
  const std::pair<GemmShape, TileShape> named[] = {
      {{16384, 3072, 768}, {128, 256, 64}},   {{2048, 18432, 2304}, {192, 192, 64}},
      {{12288, 2560, 640}, {128, 320, 64}},   {{4096, 8192, 2048}, {128, 256, 64}},
      {{18432, 3584, 4096}, {192, 192, 64}},  {{2304, 3584, 4096}, {128, 256, 64}},
      {{8192, 4256, 1064}, {256, 160, 64}},   {{2048, 2048, 16384}, {128, 256, 64}},
      {{16384, 2048, 16384}, {128, 256, 64}}, {{32768, 1024, 8192}, {128, 256, 64}}};
  for (const auto& [shape, tile] : named)
    EXPECT_EQ(chosen_kernel(shape, 132).tile, tile) << shape.m << "x" << shape.n;
  EXPECT_TRUE(chosen_kernel({1024, 1024, 262144}, 132).split_k);
  EXPECT_FALSE(chosen_kernel({2048, 2048, 16384}, 132).split_k);
}

// As a probe's file names them: tile, and split along K or not. Of shapes of 256 rows and more, in one piece.
struct RightNames {
  int right = 0, rows = 0;
};
RightNames named_right(const std::string& file) {
  CsvTable table(std::string(T3SIM_SOURCE_DIR) + "/validation/measured/probes/" + file);
  RightNames named;
  while (table.next_row()) {
    const auto extent = [&](const char* name) {
      return narrow<std::uint32_t>(table.number(table.column(name)));
    };
    const GemmShape shape{extent("m"), extent("n"), extent("k")};
    const std::string& real = table.text(table.column("kernel"));
    if (shape.m < 256 || real.find(';') != std::string::npos) continue;
    const LibraryKernelName chosen = chosen_kernel(shape, 132);
    ++named.rows;
    const std::string tile = fmt::format("_{}x{}_", chosen.tile.n, chosen.tile.m);
    const bool split = real.find("splitK") != std::string::npos;
    named.right += real.find(tile) != std::string::npos && chosen.split_k == split ? 1 : 0;
  }
  return named;
}

TEST(TheRuleForUnnamedShapes, names_the_kernel_of_seven_in_eight_shapes_from_256_rows_up) {
  const RightNames named = named_right("chosen.csv");
  EXPECT_EQ(named.rows, 84);
  EXPECT_GE(8 * named.right, 7 * named.rows);
}

TEST(TheRuleForUnnamedShapes, names_the_kernel_of_five_in_six_of_ficcos_shapes_and_their_pieces) {
  const RightNames named = named_right("chosen_long.csv");
  EXPECT_EQ(named.rows, 86);
  EXPECT_GE(6 * named.right, 5 * named.rows);
}

// 256 to 512 rows: it does worse where it was not made.
TEST(TheRuleForUnnamedShapes, names_the_kernel_of_five_in_eight_shapes_that_it_was_not_made_from) {
  const RightNames named = named_right("chosen_few.csv");
  EXPECT_EQ(named.rows, 96);
  EXPECT_GE(8 * named.right, 5 * named.rows);
}

// As on hardware: 11 rows of tiles and 96 columns pair up along n, 96 rows and 19 columns along m.
TEST(TheRuleForUnnamedShapes, pairs_tiles_where_no_place_of_a_pair_stays_empty) {
  EXPECT_EQ(to_string(chosen_kernel({2048, 18432, 2304}, 132)), "nvjet_192x192_64x3_2x1_v");
  EXPECT_EQ(to_string(chosen_kernel({18432, 3584, 4096}, 132)), "nvjet_192x192_64x3_1x2_h");
}

// No profile names it: a call of 9 us is not one of two kernels.
TEST(TheRuleForUnnamedShapes, takes_smaller_tiles_where_the_sum_of_parts_would_take_longer_than_the_product) {
  const LibraryKernelName small = chosen_kernel({1024, 1024, 1024}, 132);
  EXPECT_FALSE(small.split_k);
  EXPECT_EQ(small.tile, (TileShape{64, 128, 64}));
}

GemmSpec named(const char* name, GemmShape shape) {
  GemmSpec spec;
  spec.shape = shape;
  spec.layout = GemmLayout::tt;
  apply(library_kernel_name(name), 132, spec);
  spec.place(0);
  return spec;
}

std::uint64_t loaded(const GemmSpec& spec) {
  GemmKernel kernel(spec);
  std::uint64_t bytes = 0;
  for (std::uint32_t w = 0; w < kernel.workgroups(); ++w) {
    const auto program = kernel.program(w, nullptr);
    for (Group group; program->next(group);)
      for (const Run& run : group.loads) bytes += run.bytes;
  }
  return bytes;
}

// 256x128, clusters of two along m: A once for each of the 4 columns of tiles, B once for two of the 8 rows.
TEST(ACluster, loads_the_panel_that_it_shares_once) {
  const GemmSpec spec = named("nvjet_sm90_hsh_256x128_64x4_1x2_h_bz_coopA_NNT", {1024, 1024, 256});
  EXPECT_EQ(loaded(spec), 2ULL * 256 * (1024 * 4 + 1024 * 4));
}

// 160x256, clusters of two along n: A once for two of the 4 columns of tiles, B once for each of the 4 rows.
TEST(ACluster, along_n_shares_the_panel_of_a) {
  const GemmSpec spec = named("nvjet_sm90_hsh_160x256_64x3_2x1_v_bz_coopA_NNN", {1024, 640, 256});
  EXPECT_EQ(loaded(spec), 2ULL * 256 * (1024 * 2 + 640 * 4));
}

TEST(ACluster, that_is_cut_by_the_edge_loads_its_panel_whole) {
  const GemmSpec spec = named("nvjet_sm90_hsh_256x128_64x4_1x2_h_bz_coopA_NNT", {384, 256, 64});
  EXPECT_EQ(loaded(spec), 2ULL * 64 * (384 + 256 * 2));  // rows of tiles: one pair, one alone
}

TEST(AnEpilogue, stores_every_element_once_at_its_rate) {
  GemmSpec spec = named("nvjet_sm90_hsh_192x192_64x3_2x1_v_bz_coopB_NNN", {1000, 1000, 128});
  spec.store_bytes_per_cycle = 28;
  GemmKernel kernel(spec);
  std::set<std::uint64_t> sectors;
  std::uint64_t stored = 0, cycles = 0;
  for (std::uint32_t w = 0; w < kernel.workgroups(); ++w) {
    const auto program = kernel.program(w, nullptr);
    for (Group group; program->next(group);) {
      cycles += group.cycles;
      for (const t3sim::Run& run : group.stores) {
        stored += run.bytes;
        for (std::uint32_t b = 0; b < run.bytes; b += kSectorBytes)
          sectors.insert((run.address + b) / kSectorBytes);
      }
    }
  }
  EXPECT_EQ(stored, spec.c().layout.sector_bytes());
  EXPECT_EQ(sectors.size() * kSectorBytes, stored);
  EXPECT_NEAR(static_cast<double>(cycles), static_cast<double>(stored) / 28,
              1 + 0.01 * static_cast<double>(cycles));
}

TEST(AnEpilogue, reads_what_it_adds_to_behind_its_last_k_step) {
  GemmSpec spec = named("nvjet_sm90_hsh_192x192_64x3_1x2_h_bz_coopB_NNN", {192, 192, 256});
  for (const bool accumulate : {false, true}) {
    spec.accumulate = accumulate;
    GemmKernel kernel(spec);
    const auto program = kernel.program(0, nullptr);
    std::uint64_t of_c = 0;
    int step = 0;
    for (Group group; program->next(group);) {
      step += group.matrix_flops != 0 ? 1 : 0;
      if (group.matrix_flops != 0) continue;
      EXPECT_EQ(step, 4);
      for (const t3sim::Run& run : group.loads) of_c += run.bytes;
    }
    EXPECT_EQ(step, 4);
    EXPECT_EQ(of_c, accumulate ? 192U * 192 * 2 : 0U);
  }
}

TEST(SplitK, leaves_fp32_parts_where_another_kernel_adds_them) {
  const GemmSpec spec = named("nvjet_sm90_hsh_256x128_64x4_1x2_h_bz_coopA_splitK_NNT", {256, 256, 4096});
  GemmKernel kernel(spec);
  std::set<std::uint64_t> sectors;
  for (std::uint32_t w = 0; w < kernel.workgroups(); ++w) {
    const auto program = kernel.program(w, nullptr);
    for (Group group; program->next(group);)
      for (const t3sim::Run& run : group.stores) {
        EXPECT_FALSE(run.update);
        EXPECT_GE(run.address, spec.c_address + 256 * 256 * 2);
        for (std::uint32_t b = 0; b < run.bytes; b += kSectorBytes)
          EXPECT_TRUE(sectors.insert((run.address + b) / kSectorBytes).second);
      }
  }
  EXPECT_EQ(sectors.size() * kSectorBytes, std::uint64_t{spec.split_k} * 256 * 256 * 4);
}

// What H200 wrote first, seen by copies of C taken while the kernel ran: the tiles of the first wave of 132
// workgroups.
struct FirstWave {
  const char* kernel;
  GemmShape shape;
  std::set<std::pair<std::uint32_t, std::uint32_t>> tiles;  // row and column
};
std::set<std::pair<std::uint32_t, std::uint32_t>> block(std::uint32_t rows, std::uint32_t columns) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> tiles;
  for (std::uint32_t r = 0; r < rows; ++r)
    for (std::uint32_t c = 0; c < columns; ++c) tiles.emplace(r, c);
  return tiles;
}
std::set<std::pair<std::uint32_t, std::uint32_t>> both(
    std::set<std::pair<std::uint32_t, std::uint32_t>> a,
    const std::set<std::pair<std::uint32_t, std::uint32_t>>& b) {
  a.insert(b.begin(), b.end());
  return a;
}

TEST(TheOrderOfTiles, is_the_one_seen_on_h200) {
  const FirstWave seen[] = {
      {"nvjet_sm90_hsh_256x128_64x4_1x2_h_bz_coopA_NNT", {16384, 3072, 64}, block(12, 11)},
      {"nvjet_sm90_hsh_256x128_64x4_1x2_h_bz_coopA_NNT", {4096, 8192, 64}, block(12, 11)},
      {"nvjet_sm90_hsh_320x128_64x3_1x2_h_bz_coopB_NNT", {8192, 8192, 64}, both(block(10, 13), block(12, 1))},
      {"nvjet_sm90_hsh_192x192_64x3_1x2_h_bz_coopB_NNN", {18432, 2048, 64}, both(block(16, 8), block(18, 2))},
      {"nvjet_sm90_hsh_192x192_64x3_2x1_v_bz_coopB_NNN", {2048, 18432, 64}, both(block(8, 16), block(2, 18))},
      {"nvjet_sm90_hsh_160x256_64x3_2x1_v_bz_coopA_NNN", {8192, 4256, 64}, both(block(10, 12), block(6, 14))},
      {"nvjet_sm90_hsh_256x128_64x4_1x2_h_bz_coopA_NNT",
       {32768, 1024, 64},
       both(block(32, 4), block(34, 2))}};
  for (const FirstWave& s : seen) {
    const GemmSpec spec = named(s.kernel, s.shape);
    const GemmKernel kernel(spec);
    std::set<std::pair<std::uint32_t, std::uint32_t>> tiles;
    for (std::uint32_t w = 0; w < 132; ++w) {
      const std::uint32_t tile = kernel.tile(w);
      tiles.emplace(spec.c().grid.tile_row(tile), spec.c().grid.tile_col(tile));
    }
    EXPECT_EQ(tiles, s.tiles) << s.kernel << " " << s.shape.m << "x" << s.shape.n;
  }
}

// 16384x3072: 11 columns down, then the last one up.
TEST(TheOrderOfTiles, turns_round_at_the_end_of_a_band) {
  const GemmSpec spec = named("nvjet_sm90_hsh_256x128_64x4_1x2_h_bz_coopA_NNT", {16384, 3072, 64});
  const TileGrid pairs(16384, 3072, {256, 256, 8, 2, true});
  EXPECT_EQ(spec.order.tile(pairs, 11 * 64 - 1), pairs.index(63, 10));
  EXPECT_EQ(spec.order.tile(pairs, 11 * 64), pairs.index(63, 11));
  EXPECT_EQ(spec.order.tile(pairs, 12 * 64 - 1), pairs.index(0, 11));
}

// Every tile once, whatever the band: columns of tiles in bands, along n inside a band.
TEST(GroupedColumns, is_an_order_of_all_tiles) {
  const TileGrid grid(1000, 1500, {128, 128, 8, 2});
  const WorkgroupOrder order{OrderKind::grouped_columns, 5, 0};
  std::set<std::uint32_t> seen;
  for (std::uint32_t i = 0; i < grid.tiles(); ++i) seen.insert(order.tile(grid, i));
  EXPECT_EQ(seen.size(), grid.tiles());
  EXPECT_EQ(order.tile(grid, 4), grid.index(0, 4));
  EXPECT_EQ(order.tile(grid, 5), grid.index(1, 0));
}

}  // namespace
}  // namespace t3sim
