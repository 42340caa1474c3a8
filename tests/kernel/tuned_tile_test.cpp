#include "kernel/tuned_tile.h"

#include <gtest/gtest.h>

namespace t3sim {
namespace {

// 304 CUs as those of an MI300X: 1024 FLOPs and 52 bytes a cycle.
TunedTile of(std::uint32_t m, std::uint32_t n, std::uint32_t k) {
  return tuned_tile({m, n, k}, DataType::fp16, {304, 1024, 52, 10000, 64 << 10});
}

TEST(ATunedTile, IsTheLargestWhereTilesFillTheGpuManyTimes) {
  EXPECT_EQ(of(65536, 8192, 8192), (TunedTile{{256, 256, 32}, 1}));
}

TEST(ATunedTile, IsSmallerWhereLargeOnesLeaveCusIdle) {
  const TunedTile best = of(4096, 1024, 512);  // 64 tiles of 256 x 256
  EXPECT_LT(best.tile.m * best.tile.n, 256U * 256U);
  EXPECT_EQ(best.split_k, 1U);
}

TEST(ATunedTile, SharesALongKAmongWorkgroups) {
  const TunedTile best = of(128, 1024, 262144);
  EXPECT_GT(best.split_k, 1U);
  EXPECT_GE(1024 / best.tile.n * (128 / best.tile.m) * best.split_k, 152U);  // half of the CUs at least
}

// 256 tiles of 64 x 64 with 32 parts of K would be 26.9 waves, and no whole wave is lost.
TEST(ATunedTile, IsNoSmallerForATinyGainAsSmallTilesLoadMore) {
  EXPECT_GE(of(1024, 1024, 262144).tile.m, 128U);
  EXPECT_GE(of(8192, 1024, 262144).tile.m, 128U);
}

TEST(ATunedTile, SplitsNoShortK) { EXPECT_EQ(of(128, 128, 32).split_k, 1U); }

TEST(ATunedTile, HasStepsThatFitTheLdsTwice) {
  for (const std::uint32_t m : {64U, 1024U, 65536U}) {
    const TileShape tile = of(m, 4096, 4096).tile;
    EXPECT_LE(2 * 2 * (tile.m + tile.n) * tile.k, 64U << 10);
  }
}

}  // namespace
}  // namespace t3sim
