#include "gpu/sector_cache.h"

#include <algorithm>
#include <bit>

#include "base/error.h"

namespace t3sim {

SectorCache::SectorCache(std::uint32_t sets, std::uint32_t ways, unsigned skip_bits)
    : sets_(sets),
      ways_(ways),
      skip_bits_(skip_bits),
      set_bits_(static_cast<unsigned>(std::countr_zero(sets))) {
  if (!std::has_single_bit(sets) || ways == 0)
    throw InputError(
        "a cache needs a power of two of sets (size / slices / ways / 128 B) and at least one way");
  const std::size_t n = std::size_t{sets} * ways;
  tags_.assign(n, kEmptyTag);
  marks_.assign(n, 0);
  stamps_.assign(n, 0);
  valid_.assign(n, 0);
  dirty_.assign(n, 0);
}

std::uint32_t SectorCache::victim(std::uint32_t line) const {
  const std::uint32_t base = set_of(line) * ways_;
  std::uint32_t best = base;
  for (std::uint32_t i = base + 1; i < base + ways_; ++i) best = stamps_[i] < stamps_[best] ? i : best;
  return stamps_[best] == kLocked ? kNone : best;
}

void SectorCache::invalidate_all() {
  std::fill(tags_.begin(), tags_.end(), kEmptyTag);
  std::fill(stamps_.begin(), stamps_.end(), 0);
  std::fill(valid_.begin(), valid_.end(), 0);
  std::fill(dirty_.begin(), dirty_.end(), 0);
}

}  // namespace t3sim
