// Finds that events go on although nothing moves: a livelock.
//
// Everything that moves is counted (requests, packets, lookups, workgroups). A count that stands still is no
// proof: a link has latency, a refresh lasts, a GPU may start late. So the watchdog waits longer than the
// configuration's longest wait, and a CU that computes counts as moving, as its end is known.
#pragma once

#include <cstdint>

#include "sim/time.h"

namespace t3sim {

struct Config;

// No single thing takes longer between two counted moves, CUs' computing apart: the sum of the latest start
// of a GPU, kernel launch and dispatch, a packet's time on the slowest wire, both ways of the longest link,
// the latencies of L1, network, L2, Tracker and the way to memory, and in memory refresh, starvation limit
// and age caps. The waits do not follow each other without a move between them, so the sum is more than any
// of them.
Tick longest_wait(const Config& config, const TimeBase& time);

class Watchdog {
 public:
  explicit Watchdog(Tick limit) : limit_(limit) {}

  // Is it time to count again? Counting costs: not more often than four times a limit.
  bool due(Tick now) const { return now >= next_look_; }
  // As many as when they were counted last.
  bool stands(std::uint64_t moves) const { return moves == moves_; }
  bool stuck(Tick now, std::uint64_t moves, bool computes) {
    next_look_ = now + limit_ / 4 + 1;
    if (moves != moves_ || computes) {
      moves_ = moves;
      moved_at_ = now;
    }
    quiet_for_ = now - moved_at_;
    return quiet_for_ > limit_;
  }
  Tick quiet_for() const { return quiet_for_; }
  Tick limit() const { return limit_; }

 private:
  Tick limit_;
  Tick next_look_ = 0;
  Tick moved_at_ = 0;
  Tick quiet_for_ = 0;
  std::uint64_t moves_ = 0;
};

}  // namespace t3sim
