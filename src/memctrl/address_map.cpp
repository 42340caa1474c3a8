#include "memctrl/address_map.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "base/error.h"

namespace t3sim {

namespace {

// XOR of all `bits`-wide groups of v.
std::uint64_t fold(std::uint64_t v, unsigned bits) {
  if (bits == 0) return 0;
  for (unsigned span = std::bit_floor(63 / bits) * bits; span >= bits; span /= 2) v ^= v >> span;
  return v & ((std::uint64_t{1} << bits) - 1);
}

// A number below `range` for each stripe, without any order among them. One multiplication alone would be a
// line modulo the range: for some strides all blocks of a kernel would come back to the same few channels
// together.
std::uint64_t scatter(std::uint64_t stripe, std::uint64_t range) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL;
  std::uint64_t mixed = (stripe + 1) * kOdd;
  mixed = (mixed ^ mixed >> 32) * kOdd;
  mixed = (mixed ^ mixed >> 29) * kOdd;
  return (mixed >> 32) * range >> 32;
}

unsigned log2_of(std::uint64_t v) { return static_cast<unsigned>(std::countr_zero(v)); }

struct Token {
  std::string_view name;
  unsigned width = 0;  // 0: none given
};

Token parse_token(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {text, 0};
  Token token{text.substr(0, colon), 0};
  const std::string_view digits = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), token.width);
  if (error != std::errc{} || end != digits.data() + digits.size() || token.width < 1 || token.width > 32)
    throw InputError(fmt::format("memory.mapping: '{}': width must be 1..32 bits", text));
  return token;
}

}  // namespace

AddressMap::AddressMap(const MemoryConfig& config, unsigned slices_per_channel)
    : channels_(config.channels),
      slices_(slices_per_channel),
      channels_power_of_two_(std::has_single_bit(config.channels)),
      hash_channel_(config.hash_channel),
      hash_bank_(config.hash_bank),
      bank_bits_(log2_of(config.banks_per_group)),
      group_bits_(log2_of(config.bank_groups)),
      banks_per_group_(config.banks_per_group) {
  config.validate();
  if (!std::has_single_bit(slices_)) throw InputError("L2 slices per channel must be a power of two");
  if (channels_power_of_two_) channel_bits_ = log2_of(channels_);
  parse(config);
  if (channels_power_of_two_) make_tables();
}

void AddressMap::make_tables() {
  slice_table_.resize(kTableBytes);
  place_table_.resize(kTableBytes);
  for (unsigned i = 0; i < kTableBytes; ++i)
    for (std::uint64_t byte = 0; byte < 256; ++byte) {
      const std::uint64_t address = byte << (kTableBegin + 8 * i);
      slice_table_[i][byte] = static_cast<std::uint16_t>(slice_of_gpu_by_fields(address));
      place_table_[i][byte] = std::bit_cast<std::uint64_t>(place_by_fields(address));
    }
  table_end_ = std::uint64_t{1} << kTableEnd;
}

void AddressMap::parse(const MemoryConfig& config) {
  unsigned at = log2_of(config.burst_bytes);
  unsigned widths[kFields] = {};
  bool channel_seen = false;
  bool row_ended = false;
  for (auto it = config.mapping.rbegin(); it != config.mapping.rend(); ++it) {
    const Token token = parse_token(*it);
    if (row_ended) throw InputError("memory.mapping: 'row' without a width must come first");
    if (token.name == "channel") {
      if (channel_seen || token.width != 0)
        throw InputError("memory.mapping: 'channel' must appear once, without a width");
      channel_seen = true;
      low_bits_ = at;
      continue;
    }
    const Field field = token.name == "row"          ? kRow
                        : token.name == "bank"       ? kBank
                        : token.name == "bank_group" ? kGroup
                        : token.name == "column"     ? kColumn
                                                     : kFields;
    if (field == kFields || (token.width == 0 && field != kRow))
      throw InputError(fmt::format(
          "memory.mapping: '{}' is not one of row, row:n, bank:n, bank_group:n, column:n, channel", *it));
    row_ended = token.width == 0;
    const unsigned width = row_ended ? 32 : token.width;
    const auto shift = static_cast<std::uint8_t>(at);
    parts_.push_back(
        {field, shift, static_cast<std::uint8_t>(widths[field]), (std::uint64_t{1} << width) - 1});
    if (field != kColumn && at < log2_of(kLineBytes)) splits_lines_ = true;
    widths[field] += width;
    at += width;
  }
  if (!channel_seen && channels_ > 1) throw InputError("memory.mapping: 'channel' is missing");
  if (!channel_seen) low_bits_ = 31;
  check_widths(config, widths);
}

void AddressMap::check_widths(const MemoryConfig& config, const unsigned (&widths)[kFields]) const {
  const auto check = [](const char* name, unsigned got, unsigned want) {
    if (got != want)
      throw InputError(fmt::format("memory.mapping: '{}' has {} bits, the memory needs {}", name, got, want));
  };
  check("bank", widths[kBank], bank_bits_);
  check("bank_group", widths[kGroup], group_bits_);
  check("column", widths[kColumn], log2_of(config.columns()));
  if (widths[kRow] == 0) throw InputError("memory.mapping: 'row' is missing");
  if (channels_ > 1 && interleave_bytes() < kLineBytes)
    throw InputError("memory.mapping: 'channel' must lie above the 128 bytes of a line");
}

AddressMap::Split AddressMap::split(std::uint64_t address) const {
  if (channels_ == 1) return {0, address};
  const std::uint64_t low = address & ((std::uint64_t{1} << low_bits_) - 1);
  const std::uint64_t block = address >> low_bits_;
  if (channels_power_of_two_) {
    const std::uint64_t above = block >> channel_bits_;
    std::uint64_t channel = block & (channels_ - 1);
    if (hash_channel_) channel ^= fold(above, channel_bits_);
    return {static_cast<unsigned>(channel), (above << low_bits_) | low};
  }
  const std::uint64_t above = block / channels_;
  std::uint64_t channel = block - above * channels_;
  if (hash_channel_) {  // XOR would leave the range: each stripe of all channels begins at another instead
    channel += scatter(above, channels_);
    if (channel >= channels_) channel -= channels_;
  }
  return {static_cast<unsigned>(channel), (above << low_bits_) | low};
}

unsigned AddressMap::slice(std::uint64_t address) const {
  if (slices_ == 1) return 0;
  return static_cast<unsigned>(fold(split(address).local / kLineBytes, log2_of(slices_)));
}

unsigned AddressMap::slice_of_gpu_by_fields(std::uint64_t address) const {
  return channel(address) * slices_ + slice(address);
}

Place AddressMap::place_by_fields(std::uint64_t address) const {
  const std::uint64_t local = split(address).local;
  std::uint64_t value[kFields] = {};
  for (const Part& part : parts_) value[part.field] |= ((local >> part.from) & part.mask) << part.to;
  // Group in the low bits of the hash: neighbouring rows should first of all change the group.
  std::uint64_t bank = value[kBank] << group_bits_ | value[kGroup];
  if (hash_bank_) bank ^= fold(value[kRow], bank_bits_ + group_bits_);
  const std::uint64_t group = bank & ((std::uint64_t{1} << group_bits_) - 1);
  Place place;
  place.row = static_cast<std::uint32_t>(value[kRow]);
  place.column = static_cast<std::uint16_t>(value[kColumn]);
  place.bank = static_cast<std::uint8_t>(group * banks_per_group_ + (bank >> group_bits_));
  place.group = static_cast<std::uint8_t>(group);
  return place;
}

}  // namespace t3sim
