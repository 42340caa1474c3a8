#include "kernel/sum_tile_kernel.h"

#include <algorithm>

#include "base/number.h"
#include "sim/line.h"

namespace t3sim {

KernelTraits SumTileKernel::traits() const {
  constexpr std::uint32_t kRegisters = 32, kMostWavefronts = 8;
  const std::uint32_t bytes = spec_.grid.tile_n() * spec_.element_bytes;
  const std::uint32_t wavefronts =
      std::clamp(bytes / (kThreadBytes * spec_.wavefront_threads), 1U, kMostWavefronts);
  return {
      .wavefronts = wavefronts,
      .buffers = 2,
      .register_bytes = std::uint64_t{wavefronts} * spec_.wavefront_threads * kRegisters * kRegisterBytes};
}

bool SumTileKernel::fill(std::uint32_t tile, std::uint32_t done, Group& group) const {
  const Block block = spec_.grid.block(tile);
  if (done >= block.rows) return false;
  const std::uint64_t row = block.row + done;
  const std::uint64_t offset = std::uint64_t{block.column} * spec_.element_bytes;
  const std::uint32_t bytes = block.columns * spec_.element_bytes;
  group.tile = tile;
  for (const Rectangle& r : spec_.from)
    group.loads.push_back(
        {.address = r.address + row * r.pitch_bytes + offset, .bytes = bytes, .streaming = true});
  group.stores.push_back({.address = spec_.to.address + row * spec_.to.pitch_bytes + offset, .bytes = bytes});
  return true;
}

}  // namespace t3sim
