#include "trace/rotated_kernel.h"

#include <fmt/format.h>

#include "sim/error.h"

namespace t3sim {

RotatedKernel::RotatedKernel(KernelSource& kernel, std::uint32_t tiles, std::uint32_t start_tile)
    : kernel_(kernel) {
  const std::uint32_t workgroups = kernel.workgroups();
  std::vector<std::vector<std::uint32_t>> of_tile(tiles);
  for (std::uint32_t i = 0; i < workgroups; ++i) {
    if (kernel.tile(i) >= tiles)
      throw InputError(
          fmt::format("trace: workgroup {} is of tile {}, but there are {}", i, kernel.tile(i), tiles));
    of_tile[kernel.tile(i)].push_back(i);
  }
  for (const auto& sharing : of_tile)
    if (sharing.size() * tiles != workgroups)
      throw InputError(
          fmt::format("trace: {} workgroups for {} tiles cannot start at another tile: generate the trace "
                      "with that start",
                      workgroups, tiles));
  std::vector<std::uint32_t> taken(tiles, 0);
  order_.reserve(workgroups);
  for (std::uint32_t i = 0; i < workgroups; ++i) {
    const auto tile = static_cast<std::uint32_t>((std::uint64_t{kernel.tile(i)} + start_tile) % tiles);
    order_.push_back(of_tile[tile][taken[tile]++]);
  }
}

}  // namespace t3sim
