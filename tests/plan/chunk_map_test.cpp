#include "plan/chunk_map.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace t3sim {
namespace {

TileGrid grid_of(std::uint32_t m, std::uint32_t n) { return TileGrid(m, n, {128, 128, 8, 2}); }

struct Shape {
  std::uint32_t m, n, chunks;
};

class Chunks : public testing::TestWithParam<Shape> {
 protected:
  TileGrid grid() const { return grid_of(GetParam().m, GetParam().n); }
  ChunkMap map() const { return ChunkMap(grid(), GetParam().chunks); }
};

TEST_P(Chunks, FollowOneAnotherWithoutGapFromTheFirstTileToTheLast) {
  const ChunkMap chunks = map();
  std::uint32_t next = 0;
  for (std::uint32_t c = 0; c < chunks.chunks(); ++c) {
    EXPECT_EQ(chunks.first_tile(c), next);
    EXPECT_GT(chunks.tiles(c), 0U);
    next += chunks.tiles(c);
  }
  EXPECT_EQ(next, grid().tiles());
}

TEST_P(Chunks, AreFoundFromEachOfTheirTiles) {
  const ChunkMap chunks = map();
  for (std::uint32_t c = 0; c < chunks.chunks(); ++c)
    for (std::uint32_t i = 0; i < chunks.tiles(c); ++i)
      ASSERT_EQ(chunks.chunk_of(chunks.first_tile(c) + i), c);
}

TEST_P(Chunks, DifferByOneUnitAtMost) {
  const ChunkMap chunks = map();
  const std::uint32_t unit = grid().tile_rows() >= chunks.chunks() ? grid().tile_cols() : 1;
  std::uint32_t least = ~0U, most = 0;
  for (std::uint32_t c = 0; c < chunks.chunks(); ++c) {
    least = std::min(least, chunks.tiles(c));
    most = std::max(most, chunks.tiles(c));
  }
  EXPECT_LE(most - least, unit);
}

TEST_P(Chunks, AreWholeRowsOfTilesWhereThereAreEnough) {
  const ChunkMap chunks = map();
  if (grid().tile_rows() < chunks.chunks()) return;
  for (std::uint32_t c = 0; c < chunks.chunks(); ++c)
    EXPECT_EQ(chunks.first_tile(c) % grid().tile_cols(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Chunks,
                         testing::Values(Shape{8192, 4256, 8}, Shape{8192, 4256, 16}, Shape{16384, 3072, 16},
                                         Shape{2048, 12288, 32}, Shape{2048, 18432, 32},
                                         Shape{2048, 20480, 32}, Shape{1031, 77, 8}, Shape{500, 300, 3},
                                         Shape{128, 1280, 5}, Shape{129, 129, 2}, Shape{130, 1, 2},
                                         Shape{1, 1024, 8}, Shape{1, 999, 7}, Shape{777, 301, 3},
                                         Shape{4096, 4256, 7}, Shape{32640, 128, 255},
                                         Shape{2048, 2048, 255}),
                         [](const auto& parameter) {
                           const Shape& s = parameter.param;
                           return fmt::format("M{}N{}Chunks{}", s.m, s.n, s.chunks);
                         });

TEST(ChunkMap, SharesPartsOfRowsWhereThereAreFewerRowsThanChunks) {
  const ChunkMap chunks(grid_of(2048, 12288), 32);  // 16 rows of 96 tiles
  for (std::uint32_t c = 0; c < 32; ++c) {
    EXPECT_EQ(chunks.tiles(c), 48U);
    EXPECT_EQ(chunks.first_tile(c), 48 * c);
  }
}

TEST(ChunkMap, CallsChunksOfWholeEqualRowsAlike) {
  const TileGrid grid = grid_of(8192, 4256);  // 64 rows of tiles, the last column of tiles narrower
  EXPECT_TRUE(ChunkMap(grid, 8).alike(grid));
  EXPECT_TRUE(ChunkMap(grid, 64).alike(grid));
}

TEST(ChunkMap, CallsChunksOfDifferentlyManyRowsNotAlike) {
  const TileGrid grid = grid_of(8192, 4256);
  EXPECT_FALSE(ChunkMap(grid, 7).alike(grid));
}

TEST(ChunkMap, CallsChunksNotAlikeWhenTheLastRowIsShorter) {
  const TileGrid grid = grid_of(1000, 256);  // 8 rows of tiles, the last of 104 rows
  EXPECT_FALSE(ChunkMap(grid, 4).alike(grid));
  EXPECT_FALSE(ChunkMap(grid, 8).alike(grid));
}

TEST(ChunkMap, CallsPartsOfRowsAlikeOnlyWhenTheNarrowTilesFallAlike) {
  const TileGrid even = grid_of(2048, 1024);
  EXPECT_TRUE(ChunkMap(even, 32).alike(even));
  const TileGrid narrow =
      grid_of(2048, 1000);  // the eighth tile of each row is narrower: in every other chunk
  EXPECT_FALSE(ChunkMap(narrow, 32).alike(narrow));
}

}  // namespace
}  // namespace t3sim
