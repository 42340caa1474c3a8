#include "kernel/matrix.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sim/request.h"

namespace t3sim {
namespace {

// 8 wavefronts over 128 x 128 tiles of FP16.
TiledMatrix fp16_output(std::uint32_t m, std::uint32_t n, std::uint64_t base = 0) {
  return {MatrixLayout(base, m, n, 2), TileGrid(m, n, {128, 128, 8, 2})};
}

// Every sector that the wavefront tiles touch, and how often.
std::map<std::uint64_t, int> touched_sectors(const TiledMatrix& c) {
  std::map<std::uint64_t, int> count;
  for (std::uint32_t tile = 0; tile < c.grid.tiles(); ++tile)
    for (std::uint32_t wavefront = 0; wavefront < c.grid.wavefronts(); ++wavefront)
      c.for_each_line({tile, wavefront}, [&](std::uint64_t line, std::uint8_t mask) {
        for (unsigned s = 0; s < 4; ++s)
          if (mask & 1U << s) ++count[line + s * kSectorBytes];
      });
  return count;
}

// The sectors that hold an element, from the elements' addresses alone.
std::set<std::uint64_t> sectors_of_elements(const MatrixLayout& layout) {
  std::set<std::uint64_t> sectors;
  for (std::uint32_t column = 0; column < layout.columns(); ++column)
    for (std::uint32_t row = 0; row < layout.rows(); ++row)
      sectors.insert(align_down(layout.address(row, column), kSectorBytes));
  return sectors;
}

TEST(Matrix, AWavefrontTileOfTheDefaultTileHas32ColumnsOfOneLine) {
  const TiledMatrix c = fp16_output(256, 256, 4096);
  EXPECT_EQ(c.grid.block(WavefrontTile{3, 7}), (Block{192, 224, 64, 32}));
  std::vector<std::uint64_t> lines;
  c.for_each_line({3, 7}, [&](std::uint64_t line, std::uint8_t mask) {
    EXPECT_EQ(mask, kFullLine);
    lines.push_back(line);
  });
  ASSERT_EQ(lines.size(), 32U);
  EXPECT_EQ(lines.front(), c.layout.address(192, 224));
  EXPECT_EQ(lines.back(), c.layout.address(192, 255));
}

TEST(Matrix, TilesAreNumberedAlongNFirst) {
  const TileGrid grid(300, 500, {128, 128, 8, 2});
  EXPECT_EQ(grid.tile_rows(), 3U);
  EXPECT_EQ(grid.tile_cols(), 4U);
  EXPECT_EQ(grid.index(1, 2), 6U);
  EXPECT_EQ(grid.tile_row(6), 1U);
  EXPECT_EQ(grid.tile_col(6), 2U);
}

TEST(Matrix, TilesAtTheEdgesAreSmaller) {
  const TileGrid grid(300, 500, {128, 128, 8, 2});
  EXPECT_EQ(grid.block(11), (Block{256, 384, 44, 116}));
}

TEST(Matrix, AWavefrontTileOutsideTheMatrixHasNoSectors) {
  const TiledMatrix c = fp16_output(128, 144);
  EXPECT_TRUE(c.grid.block(WavefrontTile{1, 7}).empty());
  EXPECT_EQ(c.sectors({1, 7}), 0U);
  c.for_each_line({1, 7}, [](std::uint64_t, std::uint8_t) { FAIL(); });
}

TEST(Matrix, WavefrontTilesCoverEverySectorOfTheOutputExactlyOnce) {
  for (const auto& [m, n] : {std::pair{128U, 128U}, {300U, 200U}, {17U, 130U}, {1U, 1U}, {129U, 257U}}) {
    const TiledMatrix c = fp16_output(m, n, 1 << 20);
    const auto touched = touched_sectors(c);
    EXPECT_EQ(touched.size(), sectors_of_elements(c.layout).size()) << m << " x " << n;
    for (const auto& [sector, times] : touched) EXPECT_EQ(times, 1) << m << " x " << n << " at " << sector;
  }
}

TEST(Matrix, OtherTilesAndElementSizesCoverEverySectorExactlyOnceToo) {
  struct Case {
    std::uint32_t tile_m, tile_n, wavefronts, element_bytes;
  };
  for (const Case& t : {Case{64, 64, 4, 2},
                        {256, 128, 8, 2},
                        {16, 128, 4, 2},
                        {128, 128, 8, 1},
                        {128, 128, 8, 4},
                        {48, 40, 6, 2},
                        {32, 8, 16, 4},
                        {128, 256, 12, 2}}) {
    const TiledMatrix c{MatrixLayout(0, 200, 150, t.element_bytes),
                        TileGrid(200, 150, {t.tile_m, t.tile_n, t.wavefronts, t.element_bytes})};
    const auto touched = touched_sectors(c);
    EXPECT_EQ(touched.size(), sectors_of_elements(c.layout).size()) << t.tile_m << "x" << t.tile_n;
    for (const auto& [sector, times] : touched) EXPECT_EQ(times, 1) << t.tile_m << "x" << t.tile_n;
  }
}

TEST(Matrix, SectorCountsAgreeWithTheLinesThatAreProduced) {
  const TiledMatrix c = fp16_output(300, 200);
  std::uint64_t all = 0;
  for (std::uint32_t tile = 0; tile < c.grid.tiles(); ++tile) {
    std::uint64_t of_tile = 0;
    for (std::uint32_t w = 0; w < 8; ++w) {
      std::uint64_t sectors = 0, lines = 0;
      c.for_each_line({tile, w}, [&](std::uint64_t, std::uint8_t mask) {
        ++lines;
        sectors += static_cast<unsigned>(sector_count(mask));
      });
      EXPECT_EQ(c.sectors({tile, w}), sectors);
      EXPECT_EQ(c.lines({tile, w}), lines);
      of_tile += sectors;
    }
    EXPECT_EQ(c.tile_sectors(tile), of_tile);
    all += of_tile;
  }
  EXPECT_EQ(c.range_sectors(0, c.grid.tiles()), all);
  EXPECT_EQ(c.layout.sector_bytes(), all * kSectorBytes);
}

TEST(Matrix, TheBytesOfAnOutputFollowTheByteRule) {
  // 100 rows of FP16 are 200 bytes: 7 sectors a column, whatever the padding to whole lines.
  EXPECT_EQ(fp16_output(100, 10).layout.sector_bytes(), 10U * 7 * 32);
  EXPECT_EQ(fp16_output(8192, 4256).layout.sector_bytes(), 8192ULL * 4256 * 2);
}

TEST(Matrix, EveryElementIsInTheWavefrontTileThatIsNamedForIt) {
  const TileGrid grid(300, 200, {128, 128, 8, 2});
  for (std::uint32_t tile = 0; tile < grid.tiles(); ++tile)
    for (std::uint32_t wavefront = 0; wavefront < 8; ++wavefront) {
      const Block block = grid.block(WavefrontTile{tile, wavefront});
      for (std::uint32_t c = 0; c < block.columns; ++c)
        for (std::uint32_t r = 0; r < block.rows; ++r)
          ASSERT_EQ(grid.at(block.row + r, block.column + c), (WavefrontTile{tile, wavefront}));
    }
}

TEST(Matrix, ABlockThatBeginsInsideASectorCoversTheWholeSector) {
  const MatrixLayout layout(0, 256, 2, 2);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> runs;
  layout.for_each_run({8, 0, 16, 2}, [&](std::uint64_t address, std::uint32_t bytes) {
    runs.push_back({address, bytes});
  });
  EXPECT_EQ(runs, (std::vector<std::pair<std::uint64_t, std::uint32_t>>{{0, 64}, {512, 64}}));
}

TEST(Matrix, APartOfALargerMatrixHasItsPitch) {
  const MatrixLayout whole(0, 1024, 16, 2);
  const MatrixLayout part(whole.address(128, 4), 256, 8, 2, whole.pitch_bytes());
  for (std::uint32_t column = 0; column < 8; ++column)
    EXPECT_EQ(part.address(64, column), whole.address(192, column + 4));
  EXPECT_EQ(part.sectors({0, 0, 256, 8}), whole.sectors({128, 4, 256, 8}));
  EXPECT_EQ(part.footprint_bytes(), whole.pitch_bytes() * 8);
}

TEST(Matrix, ARunOverALineBoundaryIsSplitThere) {
  std::vector<std::pair<std::uint64_t, int>> lines;
  MatrixLayout::split_into_lines(0x160, 256, [&](std::uint64_t line, std::uint8_t mask) {
    lines.push_back({line, mask});
  });
  EXPECT_EQ(lines,
            (std::vector<std::pair<std::uint64_t, int>>{{0x100, 0b1000}, {0x180, 0b1111}, {0x200, 0b0111}}));
}

}  // namespace
}  // namespace t3sim
