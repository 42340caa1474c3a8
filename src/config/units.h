// Base units of the configuration, and the exact way between "1.4 GHz" and an integer of base units.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace t3sim::config {

// Multiples of the base units: bytes, bytes a second, picoseconds, hertz. For limits and defaults:
// `std::uint64_t clock_hz = 1400 * kMHz`.
inline constexpr std::uint64_t kKB = 1'000, kMB = 1'000 * kKB, kGB = 1'000 * kMB, kTB = 1'000 * kGB;
inline constexpr std::uint64_t kKiB = 1'024, kMiB = 1'024 * kKiB, kGiB = 1'024 * kMiB, kTiB = 1'024 * kGiB;
inline constexpr std::uint64_t kPs = 1, kNs = 1'000, kUs = 1'000 * kNs, kMs = 1'000 * kUs,
                               kSecond = 1'000 * kMs;
inline constexpr std::uint64_t kHz = 1, kKHz = 1'000, kMHz = 1'000 * kKHz, kGHz = 1'000 * kMHz;

// A unit is numerator / denominator base units (Gbit/s: 10^9 / 8 bytes a second).
struct Unit {
  std::string_view name;
  std::uint64_t numerator;
  std::uint64_t denominator = 1;
  bool written = true;  // format_quantity may use it; otherwise it is only understood
};

// What may be measured in these units; `base` names the smallest step.
struct Quantity {
  std::string_view name;
  std::string_view base;
  std::string_view example;
  std::span<const Unit> units;
};

extern const Quantity kSize, kBandwidth, kTime, kFrequency;

// Exact integer of base units. Throws std::invalid_argument whose text says what is wrong and what is
// allowed. "0" needs no unit; every other number does.
std::uint64_t parse_quantity(const Quantity& quantity, std::string_view text);

// The largest unit that gives the fewest digits: "1.4 GHz", "500 ns", "16 MiB". parse_quantity reads back the
// same integer.
std::string format_quantity(const Quantity& quantity, std::uint64_t value);

// A whole number in plain decimal digits; throws std::invalid_argument like parse_quantity.
std::uint64_t parse_whole(std::string_view text);

}  // namespace t3sim::config
