// What the places for workgroups on a CU wait for, and for how much of it the CU's matrix unit stands idle:
// the account from which the gap to the ideal overlap is explained (run/gap.h).
//
// Each place counts alike, also those that are empty: where one workgroup waits for loads and its neighbour
// for the link, half of the idle time is due to each. Where the neighbour computes, the wait is covered.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/level_integral.h"
#include "sim/time.h"

namespace t3sim {

enum class PlaceWait : std::uint8_t {
  launch,        // its first workgroup has not been dispatched
  loads,         // of its workgroup are on their way
  arrival,       // data that other GPUs send: it may not load before
  link,          // a store of the CU waits for room at a link
  memory,        // a store of the CU waits for room on the way to memory
  issue,         // its stores leave, one after the other
  no_workgroup,  // there are no more
  computing,     // for nothing. Idle only where a kernel's times are measured ones
  tracker  // loads and stores that waited while stores which the Tracker did not admit held up their way
};
inline constexpr int kPlaceWaits = 9;

constexpr std::string_view to_string(PlaceWait wait) {
  constexpr std::string_view kNames[kPlaceWaits] = {"launch", "loads",        "arrival",   "link",   "memory",
                                                    "issue",  "no_workgroup", "computing", "tracker"};
  return kNames[static_cast<std::size_t>(wait)];
}

// Ticks x places.
struct WaitTimes {
  std::array<Tick, kPlaceWaits> of{};

  Tick& operator[](PlaceWait wait) { return of[static_cast<std::size_t>(wait)]; }
  Tick operator[](PlaceWait wait) const { return of[static_cast<std::size_t>(wait)]; }
  Tick total() const {
    Tick sum = 0;
    for (Tick t : of) sum += t;
    return sum;
  }
  void operator+=(const WaitTimes& other) {
    for (std::size_t i = 0; i < of.size(); ++i) of[i] += other.of[i];
  }
};

// Ways to memory that stores which the Tracker does not admit hold up.
struct BlockedWays {
  LevelIntegral blocked;
  std::uint64_t ways = 1;
};

class IdleAccount {
 public:
  // `ways`: null where there is no Tracker.
  void follow(const BlockedWays* ways) { ways_ = ways; }
  void add_places(unsigned places) { waits_.resize(waits_.size() + places, PlaceWait::launch); }
  void set(unsigned place, PlaceWait wait) { waits_[place] = wait; }
  void set_all(PlaceWait wait) { waits_.assign(waits_.size(), wait); }
  std::size_t places() const { return waits_.size(); }

  // The Tracker has held up stores since time was last accounted: what it costs is known at this tick only.
  bool held_up(Tick now) const { return ways_ && ways_->blocked.at(now) != held_up_; }

  // Time has passed from `from` to `to`, in which the matrix unit stood idle or worked.
  void pass(Tick from, Tick to, bool idle) {
    const Tick span = to - from;
    const Tick tracker = ways_ ? std::min(span, held_up_since(to) / ways_->ways) : 0;
    for (const PlaceWait wait : waits_) {
      const Tick other = wait == PlaceWait::loads || wait == PlaceWait::memory ? tracker : 0;
      add(all_, wait, span, other);
      if (idle) add(idle_, wait, span, other);
    }
  }
  // While the matrix unit stood idle, and altogether.
  const WaitTimes& idle() const { return idle_; }
  const WaitTimes& all() const { return all_; }

 private:
  static void add(WaitTimes& times, PlaceWait wait, Tick span, Tick tracker) {
    times[wait] += span - tracker;
    times[PlaceWait::tracker] += tracker;
  }
  // Blocked ways x ticks since this was last asked.
  std::uint64_t held_up_since(Tick now) {
    const std::uint64_t sum = ways_->blocked.at(now);
    const std::uint64_t gained = sum - held_up_;
    held_up_ = sum;
    return gained;
  }

  const BlockedWays* ways_ = nullptr;
  std::uint64_t held_up_ = 0;
  std::vector<PlaceWait> waits_;  // by place, from now on
  WaitTimes idle_, all_;
};

}  // namespace t3sim
