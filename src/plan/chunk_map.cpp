#include "plan/chunk_map.h"

namespace t3sim {

bool ChunkMap::alike(const TileGrid& grid) const {
  for (std::uint32_t c = 0; c + 1 < chunks_; ++c) {
    if (tiles(c) != tiles(c + 1)) return false;
    for (std::uint32_t i = 0; i < tiles(c); ++i) {
      const Block a = grid.block(first_tile(c) + i);
      const Block b = grid.block(first_tile(c + 1) + i);
      if (a.rows != b.rows || a.columns != b.columns) return false;
    }
  }
  return true;
}

}  // namespace t3sim
