// The only place that decides where in memory a byte lies: address -> channel, L2 slice, bank, row and
// column.
#pragma once

#include <cstdint>
#include <vector>

#include "memctrl/config.h"
#include "sim/request.h"

namespace t3sim {

// Where in a channel a burst lies. Banks are numbered group by group.
struct Place {
  std::uint32_t row = 0;
  std::uint16_t column = 0;  // in bursts
  std::uint8_t bank = 0;
  std::uint8_t group = 0;

  bool operator==(const Place&) const = default;
};

class AddressMap {
 public:
  // slices_per_channel: L2 slices in front of each channel. Throws InputError for a mapping that is none.
  AddressMap(const MemoryConfig& config, unsigned slices_per_channel);

  unsigned channels() const { return channels_; }
  unsigned slices_per_channel() const { return slices_; }
  // Consecutive bytes that lie in one channel.
  std::uint32_t interleave_bytes() const { return std::uint32_t{1} << low_bits_; }

  unsigned channel(std::uint64_t address) const { return split(address).channel; }
  // L2 slice within its channel.
  unsigned slice(std::uint64_t address) const;
  // Place of the burst that holds the byte.
  Place place(std::uint64_t address) const;
  // Do the bursts of a 128 B line lie in more than one bank or row?
  bool splits_lines() const { return splits_lines_; }

 private:
  struct Split {
    unsigned channel;
    std::uint64_t local;  // address within the channel
  };
  enum Field : std::uint8_t { kRow, kBank, kGroup, kColumn, kFields };
  // `width` bits of the local address from `from` on become bits of a field from `to` on.
  struct Part {
    Field field;
    std::uint8_t from, to;
    std::uint64_t mask;
  };

  Split split(std::uint64_t address) const;
  void parse(const MemoryConfig& config);
  void check_widths(const MemoryConfig& config, const unsigned (&widths)[kFields]) const;

  unsigned channels_;
  unsigned slices_;
  unsigned channel_bits_ = 0;  // when channels_ is a power of two
  bool channels_power_of_two_;
  bool hash_channel_;
  bool hash_bank_;
  bool splits_lines_ = false;
  unsigned low_bits_ = 0;  // address bits below the channel field
  unsigned bank_bits_ = 0;
  unsigned group_bits_ = 0;
  unsigned banks_per_group_;
  std::vector<Part> parts_;
};

}  // namespace t3sim
