// The clock that a GPU's power allows (section execution.power), where the same work is done over and over.
#pragma once

#include <cstdint>

#include "machine/config.h"

namespace t3sim {

// How a GPU is used, on average over the time.
struct PowerUse {
  double matrix = 0;   // work of the matrix units, as a share of what they do at the boost clock
  double links = 0;    // bytes sent, as a share of what the links carry of stores of 128 B
  bool zeros = false;  // A is all zeros
};

// The clock at which `use` takes no more power than allowed, as a share of the boost clock; 1 at most.
double clock_share(const PowerConfig& power, const PowerUse& use);

// Whether work of `seconds` after a rest is done before the limit acts.
bool ends_before_limit(const PowerConfig& power, double seconds);

// The power limit moves the clock in such steps, Hz.
inline constexpr std::uint64_t kClockStep = 20'000'000;
std::uint64_t stepped_clock(std::uint64_t boost_hz, double share);

// Share of the work of all matrix units at the boost clock `boost_hz` that `flops` in `seconds` are.
double matrix_use(const GpuConfig& gpu, std::uint64_t boost_hz, double flops, double seconds);
// Share of what a GPU's links carry of stores of 128 B that `bytes` in `seconds` are.
double link_use(const LinkConfig& link, double bytes, double seconds);

}  // namespace t3sim
