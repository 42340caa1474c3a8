// A GEMM's tiles in an order that a program says, and samples of them.
#include <gtest/gtest.h>

#include <numeric>

#include "kernel/gemm_kernel.h"

namespace t3sim {
namespace {

GemmSpec clustered(bool along_n) {
  GemmSpec spec;
  spec.shape = {256, 256, 32};
  spec.tile = {64, 64, 32};
  spec.wavefronts = 4;
  spec.cluster = 2;
  spec.cluster_along_n = along_n;
  return spec;
}

std::vector<std::uint32_t> tiles_of(const GemmKernel& kernel) {
  std::vector<std::uint32_t> tiles;
  for (std::uint32_t i = 0; i < kernel.workgroups(); ++i) tiles.push_back(kernel.tile(i));
  return tiles;
}

TEST(AnOrderOfTiles, goes_by_the_first_tile_of_a_cluster_whichever_way_it_lies) {
  std::vector<std::uint32_t> order(16);
  std::iota(order.rbegin(), order.rend(), 0);
  for (const bool along_n : {false, true}) {
    const GemmKernel kernel(clustered(along_n), order, nullptr);
    const TileGrid& grid = kernel.output().grid;
    std::vector<std::uint32_t> tiles = tiles_of(kernel);
    EXPECT_EQ(tiles.front(), along_n ? grid.index(3, 2) : grid.index(2, 3)) << along_n;
    EXPECT_EQ(tiles[1], grid.index(3, 3)) << along_n;
    std::ranges::sort(tiles);
    std::vector<std::uint32_t> all(16);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(tiles, all) << along_n;
  }
}

TEST(ASampleOfAKernel, has_the_first_clusters_of_its_order) {
  GemmSpec spec = clustered(false);
  const std::vector<std::uint32_t> all = tiles_of(GemmKernel(spec));
  spec.first_clusters = 3;
  EXPECT_EQ(tiles_of(GemmKernel(spec)), std::vector<std::uint32_t>(all.begin(), all.begin() + 6));
  spec.persistent = 4;
  EXPECT_EQ(GemmKernel(spec).workgroups(), 4U);
  spec.first_clusters = 1;
  EXPECT_EQ(GemmKernel(spec).workgroups(), 2U);
  spec.first_clusters = 100;  // more than there are
  spec.persistent = 0;
  EXPECT_EQ(tiles_of(GemmKernel(spec)), all);
}

}  // namespace
}  // namespace t3sim
