// Links that carry data draw power of which matrix units then have less: the clock of matrix work falls beside them, at once
// (GpuConfig::clock_beside_links).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "sim/time.h"

namespace t3sim {

class ClockBesideLinks {
 public:
  using Carried = std::function<std::uint64_t()>;

  // `share`: of the clock, that is left beside full links. `full_bytes`: that they carry in `window` ticks, both ways. `carried`:
  // bytes so far, both ways.
  ClockBesideLinks(double share, Tick window, double full_bytes, Carried carried)
      : loss_(1 - share), window_(window), full_bytes_(full_bytes), carried_(std::move(carried)) {}

  // Of the clock, that matrix work which begins now has. Times must not decrease.
  double share(Tick now) {
    if (now >= since_ + window_) look(now);
    return share_;
  }

 private:
  void look(Tick now) {
    const std::uint64_t bytes = carried_();
    const double windows = static_cast<double>(now - since_) / static_cast<double>(window_);
    const double used = static_cast<double>(bytes - bytes_) / (full_bytes_ * windows);
    share_ = 1 - loss_ * std::min(1.0, used);
    since_ = now;
    bytes_ = bytes;
  }

  double loss_;
  Tick window_;
  double full_bytes_;
  Carried carried_;
  double share_ = 1;
  Tick since_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace t3sim
