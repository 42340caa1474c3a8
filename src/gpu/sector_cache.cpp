#include "gpu/sector_cache.h"

#include <algorithm>
#include <bit>

#include "base/error.h"

namespace t3sim {
namespace {

// Bytes from one set to the next: a set that fits into a line of the host's caches lies in one.
std::uint32_t stride_of(std::uint32_t bytes, std::uint32_t host_line) {
  return bytes < host_line ? std::bit_ceil(bytes) : (bytes + host_line - 1) / host_line * host_line;
}

}  // namespace

SectorCache::SectorCache(std::uint32_t sets, std::uint32_t ways, unsigned skip_bits, bool timed)
    : sets_(sets),
      set_mask_(sets - 1),
      ways_(ways),
      skip_bits_(skip_bits),
      set_bits_(static_cast<unsigned>(std::countr_zero(sets))),
      way_bits_(static_cast<unsigned>(std::bit_width(std::clamp(ways, 1U, kMaxWays) - 1))),
      way_mask_((std::uint32_t{1} << way_bits_) - 1) {
  if (!std::has_single_bit(sets) || ways == 0 || ways > kMaxWays)
    throw InputError("a cache needs a power of two of sets (size / slices / ways / 128 B) and 1 to 128 ways");
  // Padding has the numbers of the ways that a power of two would have more: its state stays 0.
  constexpr std::uint32_t kTag = sizeof(std::uint32_t), kTime = sizeof(Tick);
  const std::uint32_t numbers = std::uint32_t{1} << way_bits_;
  states_at_ = numbers * kTag;
  times_at_ = times_at(numbers, ways);
  used_ = times_at_ + (timed ? ways * kTime : 0);
  stride_ = stride_of(used_, kHostLine);
  store_.resize((std::size_t{sets} * stride_ + kHostLine - 1) / kHostLine);
  invalidate_all();
}

void SectorCache::put_any(std::uint32_t line, std::uint8_t sectors, Tick at) {
  with_ways([&](auto ways) { put_of(ways, line, sectors, at); });
}

// The way of the highest rank that is not locked: a locked one's bit makes it differ from every rank.
std::uint32_t SectorCache::victim(std::uint32_t line) const {
  const std::uint32_t set = set_of(line);
  const std::uint8_t* ranks = ranks_of(set);
  for (std::uint32_t rank = ways_; rank-- > 0;) {
    const auto wanted = static_cast<std::uint8_t>(rank);
    const std::uint32_t way_1 = with_ways([&](auto ways) { return way_after(ranks, wanted, ways); });
    if (way_1 != 0) return (set << way_bits_) + way_1 - 1;
  }
  return kNone;
}

std::uint32_t SectorCache::locked_ways(std::uint32_t line) const {
  const std::uint8_t* ranks = ranks_of(set_of(line));
  return static_cast<std::uint32_t>(
      std::count_if(ranks, ranks + ways_, [](std::uint8_t rank) { return (rank & kLockedBit) != 0; }));
}

void SectorCache::invalidate_all() {
  for (std::uint32_t set = 0; set < sets_; ++set) {
    std::fill_n(tags_of(set), way_mask_ + 1, kEmptyTag);
    std::fill_n(states_of(set), way_mask_ + 1, std::uint8_t{0});
    for (std::uint32_t way = 0; way < ways_; ++way)  // the first one goes first
      ranks_of(set)[way] = static_cast<std::uint8_t>(ways_ - 1 - way);
  }
}

}  // namespace t3sim
