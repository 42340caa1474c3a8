// The only place that decides where in memory a byte lies: address -> channel, L2 slice, bank, row and
// column.
#pragma once

#include <array>
#include <bit>
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
  // L2 slice of the GPU: slices are numbered channel by channel.
  unsigned slice_of_gpu(std::uint64_t address) const {
    if (address >= table_end_) return slice_of_gpu_by_fields(address);
    return look_up(slice_table_, address);
  }
  // Place of the burst that holds the byte.
  Place place(std::uint64_t address) const {
    if (address >= table_end_) return place_by_fields(address);
    return std::bit_cast<Place>(look_up(place_table_, address));
  }
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

  // Where channels are a power of two, every bit of a place is an exclusive or of bits of the address. So the
  // place of an address is that of its bytes' places: a table a byte, for the bits kTableBegin to kTableEnd.
  static constexpr unsigned kTableBegin = 5, kTableBytes = 4, kTableEnd = kTableBegin + 8 * kTableBytes;
  template <class T>
  using Table = std::vector<std::array<T, 256>>;
  template <class T>
  static T look_up(const Table<T>& table, std::uint64_t address) {
    T value = 0;
    for (unsigned i = 0; i < kTableBytes; ++i)
      value = static_cast<T>(value ^ table[i][address >> (kTableBegin + 8 * i) & 0xFF]);
    return value;
  }
  void make_tables();
  unsigned slice_of_gpu_by_fields(std::uint64_t address) const;
  Place place_by_fields(std::uint64_t address) const;

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
  std::uint64_t table_end_ = 0;  // addresses from here on are split field by field
  unsigned low_bits_ = 0;        // address bits below the channel field
  unsigned bank_bits_ = 0;
  unsigned group_bits_ = 0;
  unsigned banks_per_group_;
  std::vector<Part> parts_;
  Table<std::uint16_t> slice_table_;
  Table<std::uint64_t> place_table_;
};

}  // namespace t3sim
