// Quantities over simulated time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/time.h"

namespace t3sim {

// A quantity summed in fixed intervals of simulated time, e.g. DRAM bytes every 10 us.
class Series {
 public:
  explicit Series(Tick interval = 0) : interval_(interval) {}

  void add(Tick at, std::uint64_t amount) {
    if (interval_ == 0) return;
    if (at - start_ >= length_) find_bin(at);
    bins_[bin_] += amount;
  }
  // A rate that held from `from` to `to`: rate x time, shared out among the intervals.
  void add_span(Tick from, Tick to, std::uint64_t rate) {
    if (interval_ == 0) return;
    while (from < to) {
      const Tick end = std::min(to, (from / interval_ + 1) * interval_);
      add(from, rate * (end - from));
      from = end;
    }
  }
  void operator+=(const Series& other) {
    for (std::size_t i = 0; i < other.bins_.size(); ++i) add(i * interval_, other.bins_[i]);
  }
  Tick interval() const { return interval_; }
  const std::vector<std::uint64_t>& bins() const { return bins_; }

 private:
  // Most amounts fall into the interval of the one before. Apart, so that add() is short where it is built in.
  [[gnu::noinline]] void find_bin(Tick at) {
    bin_ = at / interval_;
    start_ = bin_ * interval_;
    length_ = interval_;
    if (bin_ >= bins_.size()) bins_.resize(bin_ + 1);
  }

  Tick interval_;
  std::size_t bin_ = 0;          // of the amount added last
  Tick start_ = 0, length_ = 0;  // of that interval; none before the first amount
  std::vector<std::uint64_t> bins_;
};

// A level over time, e.g. entries that are held: level x time in fixed intervals.
class LevelSeries {
 public:
  explicit LevelSeries(Tick interval = 0) : series_(interval) {}

  // The level is `level` from `now` on. Ticks must not decrease.
  void set(Tick now, std::uint64_t level) {
    if (level == level_) return;
    settle(now);
    level_ = level;
  }
  // Brings the series up to `now`.
  void settle(Tick now) {
    if (level_ != 0) series_.add_span(since_, now, level_);
    since_ = now;
  }
  const Series& series() const { return series_; }

 private:
  Series series_;
  std::uint64_t level_ = 0;
  Tick since_ = 0;
};

}  // namespace t3sim
