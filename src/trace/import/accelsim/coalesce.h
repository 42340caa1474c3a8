// What the addresses of a warp's access cost: the 32 B sectors of a global one, the cycles of a shared one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "base/number.h"
#include "kernel/matrix.h"

namespace t3sim::accelsim {

// f(address, bytes) for each run of consecutive sectors that the lanes touch, each sector once, in address
// order. A lane accesses `width_bytes`, at most 32, from its address on. Returns how many 128 B lines these
// are.
template <class F>
std::uint32_t for_each_sector_run(std::span<const std::uint64_t> lanes, std::uint32_t width_bytes, F&& f) {
  std::array<std::uint64_t, 64> sectors;  // two a lane at most
  std::size_t count = 0;
  bool sorted = true;
  const auto add = [&](std::uint64_t sector) {
    if (count > 0 && sector == sectors[count - 1]) return;
    sorted = sorted && (count == 0 || sector > sectors[count - 1]);
    sectors[count++] = sector;
  };
  for (const std::uint64_t address : lanes) {
    add(address / kSectorBytes);
    add((address + width_bytes - 1) / kSectorBytes);
  }
  if (!sorted) {
    std::sort(sectors.begin(), sectors.begin() + count);
    count = narrow<std::size_t>(std::unique(sectors.begin(), sectors.begin() + count) - sectors.begin());
  }
  constexpr std::uint64_t kLineSectors = kLineBytes / kSectorBytes;
  std::uint32_t lines = 0;
  for (std::size_t i = 0; i < count;) {
    std::size_t end = i + 1;
    while (end < count && sectors[end] == sectors[end - 1] + 1) ++end;
    f(sectors[i] * kSectorBytes, narrow<std::uint32_t>(end - i) * kSectorBytes);
    const std::uint64_t first_line = sectors[i] / kLineSectors;
    const bool begun = i > 0 && sectors[i - 1] / kLineSectors == first_line;  // by the run before
    lines += narrow<std::uint32_t>(sectors[end - 1] / kLineSectors - first_line + (begun ? 0 : 1));
    i = end;
  }
  return lines;
}

// Cycles that an access to shared memory takes: each of the 32 banks delivers one 4 B word a cycle, to all
// lanes that want it. So LDS.128 of a whole warp takes 4 without any conflict.
inline std::uint32_t shared_memory_cycles(std::span<const std::uint64_t> lanes, std::uint32_t width_bytes) {
  constexpr std::size_t kBanks = 32;
  std::array<std::array<std::uint64_t, 128>, kBanks> words;  // different ones, by bank
  std::array<std::uint8_t, kBanks> counts{};
  for (const std::uint64_t address : lanes)
    for (std::uint64_t word = address / 4; word <= (address + width_bytes - 1) / 4; ++word) {
      auto& bank = words[word % kBanks];
      auto& count = counts[word % kBanks];
      if (std::find(bank.begin(), bank.begin() + count, word) == bank.begin() + count) bank[count++] = word;
    }
  return std::max<std::uint32_t>(*std::max_element(counts.begin(), counts.end()), 1);
}

}  // namespace t3sim::accelsim
