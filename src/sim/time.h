// Time base: every clock of a run divides one integer tick, so that 1.4 GHz and 1 GHz never drift apart.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>

#include "base/error.h"

namespace t3sim {

// A point in simulated time, or a distance between two, in ticks of the run's TimeBase.
using Tick = std::uint64_t;
inline constexpr Tick kNever = ~Tick{0};

// The length of a tick: the least common multiple of all clock frequencies, in ticks per second.
class TimeBase {
 public:
  // Throws InputError when the frequencies have no common multiple below 10^14 Hz (10 fs a tick).
  explicit TimeBase(std::span<const std::uint64_t> frequencies_hz) {
    for (std::uint64_t hz : frequencies_hz) {
      ticks_per_second_ = std::lcm(ticks_per_second_, hz);
      if (hz == 0 || ticks_per_second_ > 100'000'000'000'000ULL)
        throw InputError("clock frequencies have no common multiple below 10^14 Hz: use rounder values");
    }
  }

  std::uint64_t ticks_per_second() const { return ticks_per_second_; }
  Tick period(std::uint64_t frequency_hz) const { return ticks_per_second_ / frequency_hz; }
  // Nearest tick to a duration in picoseconds.
  Tick from_ps(std::uint64_t ps) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<Tick>((static_cast<Wide>(ps) * ticks_per_second_ + 500'000'000'000ULL) /
                             1'000'000'000'000ULL);
  }
  double to_ns(Tick t) const { return static_cast<double>(t) * 1e9 / static_cast<double>(ticks_per_second_); }
  double to_us(Tick t) const { return to_ns(t) / 1e3; }

 private:
  std::uint64_t ticks_per_second_ = 1;
};

// A clock: edges at multiples of its period.
class Clock {
 public:
  Clock() = default;
  explicit Clock(Tick period)
      : period_(period), inverse_((kOne + period - 1) / period), exact_below_(kOne / period) {}

  Tick period() const { return period_; }
  Tick cycles(std::uint64_t n) const { return n * period_; }
  // First edge at or after t.
  Tick align(Tick t) const { return whole_cycles(t + period_ - 1) * period_; }
  // First edge after t.
  Tick next(Tick t) const { return (whole_cycles(t) + 1) * period_; }
  Tick whole_cycles(Tick t) const {
    if (t >= exact_below_) [[unlikely]]
      return t / period_;
    __extension__ using Wide = unsigned __int128;
    return static_cast<Tick>(static_cast<Wide>(t) * inverse_ >> 63);
  }

 private:
  // Divides by a multiplication: 1 / period, times 2^63, rounded up by less than 2^-63 of what is divided.
  static constexpr Tick kOne = Tick{1} << 63;
  Tick period_ = 1;
  Tick inverse_ = kOne, exact_below_ = kOne;
};

}  // namespace t3sim
