// A level, summed over time exactly and as of any tick: e.g. how many queues are blocked.
#pragma once

#include <cstdint>

#include "sim/time.h"

namespace t3sim {

class LevelIntegral {
 public:
  void change(Tick now, int by) {
    sum_ = at(now);
    since_ = now;
    level_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(level_) + by);
  }
  // Level x ticks from 0 to `now`, which is not before the last change.
  std::uint64_t at(Tick now) const { return sum_ + level_ * (now - since_); }

 private:
  std::uint64_t level_ = 0, sum_ = 0;
  Tick since_ = 0;
};

}  // namespace t3sim
