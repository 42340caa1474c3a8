// Which sectors of an address space were touched: a bit each, in pages that exist only where something was.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "kernel/matrix.h"

namespace t3sim {

class TouchedSectors {
 public:
  // Whole sectors from `address` on.
  void add(std::uint64_t address, std::uint32_t bytes) {
    const std::uint64_t first = address / kSectorBytes,
                        end = (address + bytes + kSectorBytes - 1) / kSectorBytes;
    for (std::uint64_t sector = first; sector < end; ++sector) {
      std::uint64_t& word = page(sector / kPageSectors)[sector % kPageSectors / 64];
      const std::uint64_t bit = std::uint64_t{1} << (sector % 64);
      count_ += (word & bit) == 0;
      word |= bit;
    }
  }
  std::uint64_t bytes() const { return count_ * kSectorBytes; }

 private:
  static constexpr std::uint64_t kPageSectors = 1 << 15;  // 1 MiB of memory
  using Page = std::array<std::uint64_t, kPageSectors / 64>;

  Page& page(std::uint64_t number) {
    if (last_ == nullptr || number != last_number_) {
      std::unique_ptr<Page>& found = pages_[number];
      if (!found) found = std::make_unique<Page>();
      last_ = found.get();
      last_number_ = number;
    }
    return *last_;
  }

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  Page* last_ = nullptr;
  std::uint64_t last_number_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace t3sim
