// What the tests of the links share.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>

#include "sim/credited_input.h"
#include "sim/request.h"
#include "sim/time.h"

namespace t3sim {

inline TimeBase paper_time() {
  constexpr std::array<std::uint64_t, 2> clocks{1'400'000'000, 1'000'000'000};
  return TimeBase(clocks);
}

inline constexpr Tick kLatency = 3500;  // 500 ns at 7 GHz

// Ticks that packets of 128 bytes need at a bandwidth in GB/s.
inline Tick line_ticks(std::uint64_t packets, std::uint64_t gigabytes_per_second = 75) {
  return (packets * kLineBytes * 7 + gigabytes_per_second - 1) / gigabytes_per_second;
}

// A port that packets pass through after the link (cut-through) sees them arrive at whole ticks and rounds up
// once more: a tick later at most, however many packets there are.
inline testing::AssertionResult close(Tick got, Tick expected) {
  if (got == expected || got == expected + 1) return testing::AssertionSuccess();
  return testing::AssertionFailure() << got << " is not " << expected << " or a tick later";
}

using Gpus = std::initializer_list<std::uint16_t>;

inline Request packet(std::uint8_t sectors = kFullLine, std::uint32_t token = 0) {
  Request r;
  r.op = Op::update;
  r.sectors = sectors;
  r.token = token;
  return r;
}

}  // namespace t3sim
