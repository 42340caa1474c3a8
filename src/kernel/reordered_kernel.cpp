#include "kernel/reordered_kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/number.h"

namespace t3sim {

std::vector<std::uint32_t> rotated_order(const KernelSource& kernel, std::uint32_t tiles,
                                         std::uint32_t start_tile) {
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
  std::vector<std::uint32_t> taken(tiles, 0), order;
  order.reserve(workgroups);
  for (std::uint32_t i = 0; i < workgroups; ++i) {
    const auto tile = narrow<std::uint32_t>((std::uint64_t{kernel.tile(i)} + start_tile) % tiles);
    order.push_back(of_tile[tile][taken[tile]++]);
  }
  return order;
}

std::vector<std::uint32_t> ranked_order(const KernelSource& kernel,
                                        const std::function<std::uint32_t(std::uint32_t tile)>& rank) {
  std::vector<std::uint32_t> order, ranks(kernel.workgroups());
  for (std::uint32_t i = 0; i < kernel.workgroups(); ++i) {
    ranks[i] = rank(kernel.tile(i));
    if (ranks[i] != kNoRank) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return ranks[i]; });
  return order;
}

}  // namespace t3sim
