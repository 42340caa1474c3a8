#include "kernel/gemv_kernel.h"

#include <algorithm>

#include "base/number.h"
#include "sim/line.h"

namespace t3sim {

std::uint64_t GemvKernel::step_bytes() const {
  return std::uint64_t{kThreadBytes} * spec_.wavefront_threads * spec_.unroll;
}

KernelTraits GemvKernel::traits() const {
  return {.wavefronts = spec_.wavefronts,
          .buffers = 2,  // wavefronts do not wait for one another
          .register_bytes =
              std::uint64_t{spec_.wavefronts} * spec_.wavefront_threads * spec_.registers * kRegisterBytes};
}

bool GemvKernel::fill(std::uint32_t tile, std::uint32_t done, Group& group) const {
  const std::uint64_t from = done * step_bytes();
  if (from >= spec_.w.row_bytes) return false;
  const auto bytes = narrow<std::uint32_t>(std::min(step_bytes(), spec_.w.row_bytes - from));
  const std::uint64_t first = std::uint64_t{tile} * tile_rows(),
                      end = std::min(first + tile_rows(), spec_.w.rows);
  group.tile = tile;
  group.loads.push_back({.address = spec_.x.address + from, .bytes = bytes});
  for (std::uint64_t row = first; row < end; ++row)
    group.loads.push_back({.address = spec_.w.address + row * spec_.w.pitch_bytes + from,
                           .bytes = bytes,
                           .wavefront = narrow<std::uint8_t>((row - first) / spec_.rows_per_wavefront),
                           .streaming = true});
  if (from + bytes == spec_.w.row_bytes)
    group.stores.push_back({.address = spec_.y.address + first * spec_.element_bytes,
                            .bytes = narrow<std::uint32_t>((end - first) * spec_.element_bytes)});
  return true;
}

}  // namespace t3sim
