#include "kernel/embedding_kernel.h"

#include <algorithm>

#include "base/number.h"
#include "sim/line.h"

namespace t3sim {

KernelTraits EmbeddingKernel::traits() const {
  const std::uint64_t wavefront_bytes = std::uint64_t{spec_.thread_bytes} * spec_.wavefront_threads;
  const auto wavefronts = narrow<std::uint32_t>((spec_.to.row_bytes + wavefront_bytes - 1) / wavefront_bytes);
  return {.wavefronts = std::min(wavefronts, 32U),
          .buffers = 1,
          .register_bytes =
              std::min(wavefronts, 32U) * spec_.wavefront_threads * spec_.registers * kRegisterBytes};
}

// Indices, then `unroll` rows at a time; the last of them also stores.
bool EmbeddingKernel::fill(std::uint32_t tile, std::uint32_t done, Group& group) const {
  if (spec_.indices.rows != 0 && done == 0) {  // no data: its group has no tile
    group.loads.push_back({.address = spec_.indices.address + tile * spec_.indices.pitch_bytes,
                           .bytes = narrow<std::uint32_t>(align_up(spec_.indices.row_bytes, kSectorBytes)),
                           .streaming = true});
    return true;
  }
  const std::uint32_t first = (done - (spec_.indices.rows != 0)) * spec_.unroll;
  if (first >= spec_.bags.pooling) return false;
  const std::uint32_t end = std::min(first + spec_.unroll, spec_.bags.pooling);
  const auto bytes = narrow<std::uint32_t>(spec_.to.row_bytes);
  group.tile = tile;
  for (std::uint32_t i = first; i < end; ++i)
    group.loads.push_back(
        {.address = spec_.table.address + rows_.row(tile, i) * spec_.table.pitch_bytes, .bytes = bytes});
  if (end == spec_.bags.pooling)
    group.stores.push_back({.address = spec_.to.address + tile * spec_.to.pitch_bytes, .bytes = bytes});
  return true;
}

}  // namespace t3sim
