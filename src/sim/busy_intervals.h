// When something was at work, as intervals with what they moved: a time line of bounded length however long
// the run. Intervals with less than a gap between them are one; when there are too many, the gap doubles.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/time.h"

namespace t3sim {

class BusyIntervals {
 public:
  struct Interval {
    Tick start = 0, end = 0;
    std::uint64_t amount = 0;
    bool operator==(const Interval&) const = default;
  };
  static constexpr std::size_t kMost = 512;

  // `gap`: the first one, in ticks.
  explicit BusyIntervals(Tick gap = 1) : gap_(gap > 0 ? gap : 1) {}

  // At work from `from` to `to`, not before the end of what was added last.
  void add(Tick from, Tick to, std::uint64_t amount) {
    if (!intervals_.empty() && from - intervals_.back().end < gap_) {
      extend(intervals_.back(), {from, to, amount});
      return;
    }
    intervals_.push_back({from, to, amount});
    while (intervals_.size() > kMost) {
      gap_ *= 2;
      merge();
    }
  }

  const std::vector<Interval>& intervals() const { return intervals_; }
  // Below which neighbours are one.
  Tick gap() const { return gap_; }

 private:
  static void extend(Interval& interval, const Interval& next) {
    interval.end = next.end;
    interval.amount += next.amount;
  }
  void merge() {
    std::size_t last = 0;
    for (std::size_t i = 1; i < intervals_.size(); ++i) {
      if (intervals_[i].start - intervals_[last].end < gap_)
        extend(intervals_[last], intervals_[i]);
      else
        intervals_[++last] = intervals_[i];
    }
    intervals_.resize(last + 1);
  }

  Tick gap_;
  std::vector<Interval> intervals_;
};

}  // namespace t3sim
