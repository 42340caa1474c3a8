// Chunks: the parts into which a collective cuts the output, one a GPU (section 4.4).
#pragma once

#include <cstdint>

#include "base/number.h"
#include "kernel/matrix.h"

namespace t3sim {

// Chunk c is a contiguous range of canonical tiles. Where there are at least as many rows of tiles as chunks,
// chunks are whole rows of tiles (as equal as possible); else they are as equal numbers of tiles as possible
// (2048 tokens are 16 rows of tiles, shared by 32 GPUs).
class ChunkMap {
 public:
  ChunkMap() = default;
  ChunkMap(const TileGrid& grid, std::uint32_t chunks)
      : chunks_(chunks),
        unit_(grid.tile_rows() >= chunks ? grid.tile_cols() : 1),
        units_(grid.tiles() / unit_) {}

  std::uint32_t chunks() const { return chunks_; }
  std::uint32_t first_tile(std::uint32_t chunk) const {
    return narrow<std::uint32_t>(std::uint64_t{chunk} * units_ / chunks_) * unit_;
  }
  std::uint32_t tiles(std::uint32_t chunk) const { return first_tile(chunk + 1) - first_tile(chunk); }
  std::uint32_t chunk_of(std::uint32_t tile) const {
    const std::uint64_t unit = tile / unit_;
    // Largest c with c * units / chunks <= unit.
    return narrow<std::uint32_t>(((unit + 1) * chunks_ - 1) / units_);
  }
  // True when chunk c + 1 looks like chunk c for all c, tile by tile, edges included: what `mirror` needs.
  bool alike(const TileGrid& grid) const;

 private:
  std::uint32_t chunks_ = 1;
  std::uint32_t unit_ = 1;  // tiles that stay together
  std::uint32_t units_ = 1;
};

}  // namespace t3sim
