// Tags of a set-associative cache of 128 B lines with 32 B sectors and LRU replacement. L1 and L2 slices use
// it.
//
// What is known of a set lies together, in as few cache lines of the host as it can: a simulated GPU has more
// tags than the host's caches hold, and an access that hits should miss there as seldom as possible. The order
// of use is a rank a way, 0 for the one used last. What is asked of all ways of a set: gpu/way_search.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "gpu/way_search.h"
#include "sim/request.h"
#include "sim/time.h"

namespace t3sim {

class SectorCache {
  // Calls `f` with the number of ways: one that the compiler knows, where it is a usual one.
  template <class F>
  [[gnu::always_inline]] decltype(auto) with_ways(F&& f) const {
    if (ways_ == 4) return f(std::integral_constant<std::uint32_t, 4>());  // asked for most
    if (ways_ == 16) return f(std::integral_constant<std::uint32_t, 16>());
    switch (ways_) {
      case 20:
        return f(std::integral_constant<std::uint32_t, 20>());
      case 32:
        return f(std::integral_constant<std::uint32_t, 32>());
      case 64:
        return f(std::integral_constant<std::uint32_t, 64>());
      default:
        return f(ways_);
    }
  }

 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::uint32_t kEmptyTag = ~std::uint32_t{0};
  static constexpr std::uint32_t kMaxWays = 128;

  // Capacity sets x ways lines; sets a power of two. `skip_bits`: low bits of the line number that are the
  // same for all lines of this cache (slice selection) and so no use as set index. `timed`: each entry has a
  // time().
  SectorCache(std::uint32_t sets, std::uint32_t ways, unsigned skip_bits, bool timed = false);

  static std::uint32_t line_number(std::uint64_t address) {
    return static_cast<std::uint32_t>(address / kLineBytes);
  }
  std::uint64_t address_of(std::uint32_t entry) const { return std::uint64_t{tag(entry)} * kLineBytes; }

  // Entry that holds the line, kNone if absent. Does not touch the LRU order.
  std::uint32_t find(std::uint32_t line) const { return find(set_of(line), line); }
  // The same, where the line's set is known.
  std::uint32_t find(std::uint32_t set, std::uint32_t line) const {
    const std::uint32_t* tags = tags_of(set);
    const std::uint32_t way_1 = with_ways([&](auto ways) { return way_after(tags, line, ways); });
    return way_1 == 0 ? kNone : (set << way_bits_) + way_1 - 1;
  }
  // Entry that holds all these sectors of the line: it becomes the one used last. kNone if none does.
  [[gnu::always_inline]] std::uint32_t use(std::uint32_t line, std::uint8_t sectors) {
    return use(set_of(line), line, sectors);
  }
  // The same, where the line's set is known.
  [[gnu::always_inline]] std::uint32_t use(std::uint32_t set, std::uint32_t line, std::uint8_t sectors) {
    return with_ways([&](auto ways)
                         __attribute__((always_inline)) { return use_of(ways, set, line, sectors); });
  }
  // Of a timed cache that locks no line: has these sectors of the line from `at` on.
  [[gnu::always_inline]] void put(std::uint32_t line, std::uint8_t sectors, Tick at) {
    if (ways_ == 4) [[likely]]  // the rest out of line: it needs more of the host's registers
      put_of(std::integral_constant<std::uint32_t, 4>(), line, sectors, at);
    else
      put_any(line, sectors, at);
  }
  std::uint32_t set_of(std::uint32_t line) const {
    const std::uint32_t x = line >> skip_bits_;
    return (x ^ (x ^ x >> set_bits_) >> set_bits_) & set_mask_;  // three pieces of it, by exclusive or
  }
  // The set will be looked at soon: has the host fetch it (of a larger one the first three lines).
  // Always inline: gcc takes a function that only prefetches for one without effect, and drops its calls.
  [[gnu::always_inline]] void prefetch_set(std::uint32_t number) const {
    const std::byte* set = set_at(number);
    __builtin_prefetch(set, 1);
    if (used_ <= kHostLine) return;
    __builtin_prefetch(set + kHostLine, 1);
    __builtin_prefetch(set + 2 * kHostLine, 1);
  }
  [[gnu::always_inline]] void prefetch_entry(std::uint32_t entry) const { prefetch_set(entry >> way_bits_); }
  // Least recently used entry of the line's set that is not locked; kNone if all are.
  std::uint32_t victim(std::uint32_t line) const;
  // Puts the line in `entry`, no sector valid.
  void replace(std::uint32_t entry, std::uint32_t line) {
    tags_of(entry >> way_bits_)[entry & way_mask_] = line;
    state(entry) = 0;
    touch(entry);
  }
  void touch(std::uint32_t entry) {
    with_ways([&](auto ways) { touch_way(ranks_of(entry >> way_bits_), entry & way_mask_, ways); });
  }

  std::uint8_t valid(std::uint32_t entry) const { return state(entry) & kFullLine; }
  std::uint8_t dirty(std::uint32_t entry) const { return static_cast<std::uint8_t>(state(entry) >> 4); }
  void add_valid(std::uint32_t entry, std::uint8_t sectors) { state(entry) |= sectors; }
  void add_dirty(std::uint32_t entry, std::uint8_t sectors) {
    state(entry) = static_cast<std::uint8_t>(state(entry) | sectors | sectors << 4);
  }
  void clean(std::uint32_t entry) { state(entry) &= kFullLine; }
  // Forgets sectors, dirty ones too: memory has newer data.
  void drop(std::uint32_t entry, std::uint8_t sectors) {
    state(entry) = static_cast<std::uint8_t>(state(entry) & ~(sectors | sectors << 4));
  }
  // The owner's, of a timed cache.
  Tick& time(std::uint32_t entry) {
    std::byte* times = set_at(entry >> way_bits_) + times_at_;
    return reinterpret_cast<Tick*>(times)[entry & way_mask_];
  }
  bool locked(std::uint32_t entry) const {
    return (ranks_of(entry >> way_bits_)[entry & way_mask_] & kLockedBit) != 0;
  }
  // Of the line's set.
  std::uint32_t locked_ways(std::uint32_t line) const;
  // A locked line waits for a fill and cannot be replaced.
  void lock(std::uint32_t entry) { rank(entry) |= kLockedBit; }
  void unlock(std::uint32_t entry) {
    rank(entry) &= kRank;
    touch(entry);
  }

  // Entries are numbered below this; where ways are no power of two, some numbers are of none and stay empty.
  std::uint32_t entries() const { return sets_ << way_bits_; }
  void invalidate_all();

 private:
  static constexpr std::uint8_t kRank = kWayRank, kLockedBit = kWayLocked;
  static constexpr std::uint32_t kHostLine = 64;
  struct alignas(kHostLine) HostLine {
    std::byte bytes[kHostLine];
  };

  template <class Ways>
  [[gnu::always_inline]] static void touch_way(std::uint8_t* ranks, std::uint32_t way, Ways ways) {
    const std::uint8_t own = ranks[way];
    const auto mine = static_cast<std::uint8_t>(own & kRank);
    if (mine == 0) return;
    age_below(ranks, mine, ways);
    ranks[way] = static_cast<std::uint8_t>(own & kLockedBit);
  }
  // How many numbers the ways of a set take, which the compiler knows where it knows how many ways there are.
  template <std::uint32_t N>
  static constexpr std::uint32_t numbers_of(std::integral_constant<std::uint32_t, N>) {
    return std::bit_ceil(N);
  }
  std::uint32_t numbers_of(std::uint32_t) const { return way_mask_ + 1; }
  template <class Ways>
  [[gnu::always_inline]] std::uint32_t use_of(Ways ways, std::uint32_t set, std::uint32_t line,
                                              std::uint8_t sectors) {
    const std::uint32_t numbers = numbers_of(ways);
    std::byte* const base = set_at(set);
    const std::uint32_t way_1 = way_after(reinterpret_cast<const std::uint32_t*>(base), line, ways);
    if (way_1 == 0) return kNone;
    auto* const states = reinterpret_cast<std::uint8_t*>(base + numbers * sizeof(std::uint32_t));
    if ((sectors & ~states[way_1 - 1]) != 0) return kNone;
    touch_way(states + numbers, way_1 - 1, ways);
    return set * numbers + way_1 - 1;
  }
  void put_any(std::uint32_t line, std::uint8_t sectors, Tick at);
  template <class Ways>
  [[gnu::always_inline]] void put_of(Ways ways, std::uint32_t line, std::uint8_t sectors, Tick at) {
    const std::uint32_t numbers = numbers_of(ways);
    std::byte* const base = set_at(set_of(line));
    auto* const tags = reinterpret_cast<std::uint32_t*>(base);
    auto* const states = reinterpret_cast<std::uint8_t*>(base + numbers * sizeof(std::uint32_t));
    auto* const times = reinterpret_cast<Tick*>(base + times_at(numbers, ways));
    std::uint32_t way_1 = way_after(tags, line, ways);
    if (way_1 == 0) {
      std::uint8_t* const ranks = states + numbers;
      way_1 = way_after(ranks, static_cast<std::uint8_t>(ways - 1), ways);
      tags[way_1 - 1] = line;
      states[way_1 - 1] = 0;
      touch_way(ranks, way_1 - 1, ways);
    }
    states[way_1 - 1] |= sectors;
    times[way_1 - 1] = at;
  }

  // Where in a set the times are: behind the tags, states and ranks.
  static constexpr std::uint32_t times_at(std::uint32_t numbers, std::uint32_t ways) {
    constexpr std::uint32_t kTime = sizeof(Tick);
    constexpr std::uint32_t kTag = sizeof(std::uint32_t);
    return (numbers * (kTag + 1) + ways + kTime - 1) / kTime * kTime;
  }

  // Host lines hold the bytes of sets, which may be longer or shorter than one.
  const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(store_.data()); }
  std::byte* bytes() { return reinterpret_cast<std::byte*>(store_.data()); }
  // A set: its tags, then the state of its lines (valid sectors in the low half, dirty ones in the high
  // half), then their ranks, then their times.
  const std::byte* set_at(std::uint32_t set) const { return bytes() + std::size_t{set} * stride_; }
  std::byte* set_at(std::uint32_t set) { return bytes() + std::size_t{set} * stride_; }
  const std::uint32_t* tags_of(std::uint32_t set) const {
    return reinterpret_cast<const std::uint32_t*>(set_at(set));
  }
  std::uint32_t* tags_of(std::uint32_t set) { return reinterpret_cast<std::uint32_t*>(set_at(set)); }
  const std::uint8_t* states_of(std::uint32_t set) const {
    return reinterpret_cast<const std::uint8_t*>(set_at(set) + states_at_);
  }
  std::uint8_t* states_of(std::uint32_t set) {
    return reinterpret_cast<std::uint8_t*>(set_at(set) + states_at_);
  }
  const std::uint8_t* ranks_of(std::uint32_t set) const { return states_of(set) + way_mask_ + 1; }
  std::uint8_t* ranks_of(std::uint32_t set) { return states_of(set) + way_mask_ + 1; }

  std::uint32_t tag(std::uint32_t entry) const { return tags_of(entry >> way_bits_)[entry & way_mask_]; }
  std::uint8_t state(std::uint32_t entry) const { return states_of(entry >> way_bits_)[entry & way_mask_]; }
  std::uint8_t& state(std::uint32_t entry) { return states_of(entry >> way_bits_)[entry & way_mask_]; }
  std::uint8_t& rank(std::uint32_t entry) { return ranks_of(entry >> way_bits_)[entry & way_mask_]; }

  std::uint32_t sets_, set_mask_, ways_;
  unsigned skip_bits_, set_bits_, way_bits_;
  std::uint32_t way_mask_;
  std::uint32_t states_at_, times_at_, used_, stride_;  // bytes
  std::vector<HostLine> store_;
};

}  // namespace t3sim
