// Where tiles are in memory: THE ONE PLACE that maps a tile to addresses. GEMM loads and stores, the Tracker,
// the DMA engine and the collective kernels all ask here, so that their byte counts agree by construction.
//
// Byte rule: memory moves whole 32 B sectors. A block of a matrix costs, for each of its columns, the sectors
// its rows touch: with columns that start on a line, sum over columns of ceil(rows * element / 32) * 32.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/number.h"
#include "sim/line.h"

namespace t3sim {

constexpr std::uint32_t ceil_div(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }
constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}
constexpr std::uint64_t align_down(std::uint64_t value, std::uint64_t unit) { return value / unit * unit; }

// A rectangle of elements. "Rows" is the dimension that is contiguous in memory, "columns" the strided one.
struct Block {
  std::uint32_t row = 0, column = 0;
  std::uint32_t rows = 0, columns = 0;

  bool empty() const { return rows == 0 || columns == 0; }
  std::uint64_t elements() const { return std::uint64_t{rows} * columns; }
  bool operator==(const Block&) const = default;
};

// A column-major matrix in memory. Each column starts on a 128 B line: the leading dimension is padded up, or is
// that of a larger matrix of which this is a part.
class MatrixLayout {
 public:
  MatrixLayout() = default;
  // `pitch_bytes` from the start of a column to that of the next: a multiple of a line, or 0: as dense as lines
  // allow.
  MatrixLayout(std::uint64_t base_address, std::uint32_t rows, std::uint32_t columns,
               std::uint32_t element_bytes, std::uint64_t pitch_bytes = 0)
      : base_(base_address),
        pitch_(pitch_bytes != 0 ? pitch_bytes : align_up(std::uint64_t{rows} * element_bytes, kLineBytes)),
        rows_(rows),
        columns_(columns),
        element_bytes_(element_bytes) {}

  std::uint64_t base() const { return base_; }
  std::uint64_t pitch_bytes() const { return pitch_; }  // from the start of a column to that of the next
  std::uint64_t footprint_bytes() const { return pitch_ * columns_; }  // padding included
  std::uint32_t rows() const { return rows_; }
  std::uint32_t columns() const { return columns_; }
  std::uint32_t element_bytes() const { return element_bytes_; }

  std::uint64_t address(std::uint32_t row, std::uint32_t column) const {
    return base_ + column * pitch_ + std::uint64_t{row} * element_bytes_;
  }

  // f(address, bytes) for each column of the block: whole sectors, consecutive in memory.
  template <class F>
  void for_each_run(const Block& block, F&& f) const {
    if (block.empty()) return;
    const auto [first, bytes] = column_span(block);
    std::uint64_t address = first;
    for (std::uint32_t c = 0; c < block.columns; ++c, address += pitch_) f(address, bytes);
  }

  // f(line_address, sector_mask) for each 128 B line the block touches, in address order.
  template <class F>
  void for_each_line(const Block& block, F&& f) const {
    for_each_run(block,
                 [&](std::uint64_t address, std::uint32_t bytes) { split_into_lines(address, bytes, f); });
  }

  std::uint64_t sectors(const Block& block) const {
    return block.empty() ? 0 : std::uint64_t{column_span(block).bytes / kSectorBytes} * block.columns;
  }
  std::uint64_t lines(const Block& block) const {
    if (block.empty()) return 0;
    const auto [first, bytes] = column_span(block);
    return (align_up(first + bytes, kLineBytes) - align_down(first, kLineBytes)) / kLineBytes * block.columns;
  }
  // Bytes of the whole matrix in sectors, without padding: "S" of DESIGN.md.
  std::uint64_t sector_bytes() const { return sectors({0, 0, rows_, columns_}) * kSectorBytes; }

  // Splits whole sectors [address, address + bytes) at line boundaries: f(line_address, sector_mask).
  template <class F>
  static void split_into_lines(std::uint64_t address, std::uint32_t bytes, F&& f) {
    const std::uint64_t end = address + bytes;
    for (std::uint64_t line = align_down(address, kLineBytes); line < end; line += kLineBytes) {
      const auto from = narrow<unsigned>(std::max(address, line) - line) / kSectorBytes;
      const auto to =
          narrow<unsigned>(std::min(end, line + kLineBytes) - line + kSectorBytes - 1) / kSectorBytes;
      f(line, narrow<std::uint8_t>(((1U << to) - 1U) & ~((1U << from) - 1U)));
    }
  }

 private:
  struct Span {
    std::uint64_t address;
    std::uint32_t bytes;
  };
  // The first column of the block, widened to whole sectors. As the pitch is a multiple of a line, every
  // other column of the block has the same shape.
  Span column_span(const Block& block) const {
    const std::uint64_t first = address(block.row, block.column);
    const std::uint64_t begin = align_down(first, kSectorBytes);
    const std::uint64_t end = align_up(first + std::uint64_t{block.rows} * element_bytes_, kSectorBytes);
    return {begin, narrow<std::uint32_t>(end - begin)};
  }

  std::uint64_t base_ = 0;
  std::uint64_t pitch_ = 0;
  std::uint32_t rows_ = 0, columns_ = 0;
  std::uint32_t element_bytes_ = 1;
};

// A part of a tile: what one wavefront of its workgroup produces (wg_id and wf_id of section 4.2.1).
struct WavefrontTile {
  std::uint32_t tile = 0;
  std::uint32_t wavefront = 0;
  bool operator==(const WavefrontTile&) const = default;
};

// How a matrix is cut: extents in elements; `row_major`: rows are contiguous in memory.
struct TileCut {
  std::uint32_t m = 0, n = 0;
  std::uint32_t wavefronts = 1;
  std::uint32_t element_bytes = 1;
  bool row_major = false;
};

// The output cut into tiles, and tiles into wavefront tiles. The canonical index of a tile is
// tile_row * tile_cols + tile_col (row-major), whatever the order of dispatch.
//
// Wavefronts lie as a grid over the tile, along the dimension that is contiguous in memory first (M, or N
// where the matrix is row-major): as many along it as a column of the tile has lines, so that a column of a
// wavefront tile is one line (8 wavefronts over 128 x 128 FP16: 2 x 4, each 64 x 32).
class TileGrid {
 public:
  TileGrid() = default;
  // A tile's extent along the contiguous dimension must be whole sectors, so that no two wavefronts share
  // one.
  TileGrid(std::uint32_t m, std::uint32_t n, const TileCut& tile)
      : m_(m), n_(n), tile_m_(tile.m), tile_n_(tile.n), wavefronts_(tile.wavefronts) {
    const std::uint32_t contiguous = tile.row_major ? tile.n : tile.m;
    const std::uint32_t strided = tile.row_major ? tile.m : tile.n;
    std::uint32_t waves =
        std::clamp<std::uint32_t>(contiguous * tile.element_bytes / kLineBytes, 1, wavefronts_);
    while (wavefronts_ % waves != 0) --waves;
    const std::uint32_t sector_elements = std::max(kSectorBytes / tile.element_bytes, 1U);
    const std::uint32_t along = ceil_div(ceil_div(contiguous, waves), sector_elements) * sector_elements;
    const std::uint32_t across = ceil_div(strided, wavefronts_ / waves);
    waves_m_ = tile.row_major ? wavefronts_ / waves : waves;
    wave_m_ = tile.row_major ? across : along;
    wave_n_ = tile.row_major ? along : across;
    tile_rows_ = ceil_div(m, tile_m_);
    tile_cols_ = ceil_div(n, tile_n_);
  }

  std::uint32_t tile_rows() const { return tile_rows_; }
  std::uint32_t tile_cols() const { return tile_cols_; }
  std::uint32_t tiles() const { return tile_rows_ * tile_cols_; }
  std::uint32_t wavefronts() const { return wavefronts_; }
  std::uint32_t wavefronts_along_m() const { return waves_m_; }
  std::uint32_t tile_m() const { return tile_m_; }
  std::uint32_t tile_n() const { return tile_n_; }

  std::uint32_t index(std::uint32_t tile_row, std::uint32_t tile_col) const {
    return tile_row * tile_cols_ + tile_col;
  }
  std::uint32_t tile_row(std::uint32_t tile) const { return tile / tile_cols_; }
  std::uint32_t tile_col(std::uint32_t tile) const { return tile % tile_cols_; }

  // Elements of a tile: smaller at the edges.
  Block block(std::uint32_t tile) const {
    return clip(tile_row(tile) * tile_m_, tile_col(tile) * tile_n_, tile_m_, tile_n_, m_, n_);
  }
  // Elements of a wavefront tile: empty where it lies wholly outside the matrix.
  Block block(const WavefrontTile& w) const {
    const Block tile = block(w.tile);
    const std::uint32_t row = tile.row + w.wavefront % waves_m_ * wave_m_;
    const std::uint32_t column = tile.column + w.wavefront / waves_m_ * wave_n_;
    return clip(row, column, wave_m_, wave_n_, tile.row + tile.rows, tile.column + tile.columns);
  }
  // The wavefront tile that holds an element.
  WavefrontTile at(std::uint32_t row, std::uint32_t column) const {
    return {index(row / tile_m_, column / tile_n_),
            row % tile_m_ / wave_m_ + column % tile_n_ / wave_n_ * waves_m_};
  }

 private:
  static Block clip(std::uint32_t row, std::uint32_t column, std::uint32_t rows, std::uint32_t columns,
                    std::uint32_t row_limit, std::uint32_t column_limit) {
    return {row, column, row < row_limit ? std::min(rows, row_limit - row) : 0,
            column < column_limit ? std::min(columns, column_limit - column) : 0};
  }

  std::uint32_t m_ = 0, n_ = 0;
  std::uint32_t tile_m_ = 1, tile_n_ = 1;
  std::uint32_t wavefronts_ = 1, waves_m_ = 1;
  std::uint32_t wave_m_ = 1, wave_n_ = 1;
  std::uint32_t tile_rows_ = 0, tile_cols_ = 0;
};

// A matrix in memory together with its tiles: the output of a GEMM, or the array a collective works on.
// Blocks of `grid` are in rows and columns of the matrix; where it is row-major, rows are what `layout` calls
// columns.
struct TiledMatrix {
  MatrixLayout layout;
  TileGrid grid;
  bool row_major = false;

  Block in_layout(const Block& b) const { return row_major ? Block{b.column, b.row, b.columns, b.rows} : b; }
  std::uint64_t address(std::uint32_t row, std::uint32_t column) const {
    return row_major ? layout.address(column, row) : layout.address(row, column);
  }

  template <class F>
  void for_each_line(const WavefrontTile& w, F&& f) const {
    layout.for_each_line(in_layout(grid.block(w)), f);
  }
  template <class F>
  void for_each_run(const WavefrontTile& w, F&& f) const {
    layout.for_each_run(in_layout(grid.block(w)), f);
  }
  std::uint64_t sectors(const WavefrontTile& w) const { return layout.sectors(in_layout(grid.block(w))); }
  std::uint64_t lines(const WavefrontTile& w) const { return layout.lines(in_layout(grid.block(w))); }
  std::uint64_t tile_sectors(std::uint32_t tile) const { return layout.sectors(in_layout(grid.block(tile))); }
  // Tiles [first, first + count) in canonical order.
  std::uint64_t range_sectors(std::uint32_t first, std::uint32_t count) const {
    std::uint64_t sum = 0;
    for (std::uint32_t t = first; t < first + count; ++t) sum += tile_sectors(t);
    return sum;
  }
};

}  // namespace t3sim
