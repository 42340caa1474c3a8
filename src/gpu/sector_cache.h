// Tags of a set-associative cache of 128 B lines with 32 B sectors and LRU replacement. L1 and L2 slices use
// it.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "sim/request.h"

namespace t3sim {

class SectorCache {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::uint32_t kEmptyTag = ~std::uint32_t{0};
  static constexpr std::uint32_t kLocked = ~std::uint32_t{0};

  // Capacity sets x ways lines; sets a power of two. `skip_bits`: low bits of the line number that are the
  // same for all lines of this cache (slice selection) and so no use as set index.
  SectorCache(std::uint32_t sets, std::uint32_t ways, unsigned skip_bits);

  static std::uint32_t line_number(std::uint64_t address) {
    return static_cast<std::uint32_t>(address / kLineBytes);
  }
  std::uint64_t address_of(std::uint32_t entry) const { return std::uint64_t{tags_[entry]} * kLineBytes; }

  // Entry that holds the line, kNone if absent. Does not touch the LRU order.
  std::uint32_t find(std::uint32_t line) const {
    const std::uint32_t base = set_of(line) * ways_;
    if (ways_ % 8 == 0) return find_by_mark(line, base);
    for (std::uint32_t i = base; i < base + ways_; ++i)
      if (tags_[i] == line) return i;
    return kNone;
  }
  // Least recently used entry of the line's set that is not locked; kNone if all are.
  std::uint32_t victim(std::uint32_t line) const;
  // Puts the line in `entry`, no sector valid.
  void replace(std::uint32_t entry, std::uint32_t line) {
    tags_[entry] = line;
    valid_[entry] = dirty_[entry] = 0;
    stamps_[entry] = ++clock_;
    marks_[entry] = mark_of(line);
  }
  void touch(std::uint32_t entry) {
    if (stamps_[entry] != kLocked) stamps_[entry] = ++clock_;
  }

  std::uint8_t valid(std::uint32_t entry) const { return valid_[entry]; }
  std::uint8_t dirty(std::uint32_t entry) const { return dirty_[entry]; }
  void add_valid(std::uint32_t entry, std::uint8_t sectors) { valid_[entry] |= sectors; }
  void add_dirty(std::uint32_t entry, std::uint8_t sectors) {
    valid_[entry] |= sectors;
    dirty_[entry] |= sectors;
  }
  void clean(std::uint32_t entry) { dirty_[entry] = 0; }
  // Forgets sectors, dirty ones too: memory has newer data.
  void drop(std::uint32_t entry, std::uint8_t sectors) {
    valid_[entry] = static_cast<std::uint8_t>(valid_[entry] & ~sectors);
    dirty_[entry] = static_cast<std::uint8_t>(dirty_[entry] & ~sectors);
  }
  // A locked line waits for a fill and cannot be replaced.
  void lock(std::uint32_t entry) { stamps_[entry] = kLocked; }
  void unlock(std::uint32_t entry) { stamps_[entry] = ++clock_; }

  std::uint32_t entries() const { return static_cast<std::uint32_t>(tags_.size()); }
  void invalidate_all();

 private:
  static std::uint8_t mark_of(std::uint32_t line) {
    return static_cast<std::uint8_t>((line * 0x9E3779B1U) >> 24);
  }
  // Compares eight marks at a time, then the tags of those that agree.
  std::uint32_t find_by_mark(std::uint32_t line, std::uint32_t base) const {
    constexpr std::uint64_t kLow = 0x7F7F7F7F7F7F7F7FULL;
    const std::uint64_t wanted = mark_of(line) * 0x0101010101010101ULL;
    for (std::uint32_t i = base; i < base + ways_; i += 8) {
      std::uint64_t marks;
      std::memcpy(&marks, &marks_[i], 8);
      const std::uint64_t differ = marks ^ wanted;
      std::uint64_t equal = ~(((differ & kLow) + kLow) | differ | kLow);  // top bit of each byte that is 0
      for (; equal != 0; equal &= equal - 1) {
        const std::uint32_t entry = i + static_cast<std::uint32_t>(std::countr_zero(equal)) / 8;
        if (tags_[entry] == line) return entry;
      }
    }
    return kNone;
  }
  std::uint32_t set_of(std::uint32_t line) const {
    const std::uint32_t x = line >> skip_bits_;
    return (x ^ (x >> set_bits_) ^ (x >> 2 * set_bits_)) & (sets_ - 1);
  }

  std::uint32_t sets_, ways_;
  unsigned skip_bits_, set_bits_;
  std::uint32_t clock_ = 0;  // one tick a use: 4 billion uses a phase are enough
  std::vector<std::uint32_t> tags_;
  std::vector<std::uint8_t> marks_;    // a byte of each tag's hash: eight are compared at a time
  std::vector<std::uint32_t> stamps_;  // of last use; kLocked while a line waits for its fill
  std::vector<std::uint8_t> valid_, dirty_;
};

}  // namespace t3sim
