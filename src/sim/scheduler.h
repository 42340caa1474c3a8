// Event scheduler: a time wheel of component sets.
//
// An event is "component c looks at its queues at tick t" and carries nothing else: data waits in the
// component. Each slot of the wheel is one tick and holds a bit a component, so that
//  - several wake-ups can be pending, waking twice for the same tick costs nothing, and none is ever lost;
//  - components due at the same tick run in the order of their rank (order of registration), never in the
//  order
//    in which they were scheduled.
// A wake-up is always for a later tick than now: nothing happens in zero time, and no component can run twice
// in one tick.
#pragma once

#include <cassert>
#include <cstdint>
#include <queue>
#include <string>
#include <vector>

#include "sim/time.h"

namespace t3sim {

class Scheduler;

// What the scheduler wakes. A component must tolerate spurious wake-ups.
class Component {
 public:
  Component() = default;
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;
  virtual ~Component() = default;

  virtual void wake(Tick now) = 0;

  std::uint32_t rank() const { return rank_; }

 private:
  friend class Scheduler;
  std::uint32_t rank_ = 0;
  std::uint32_t word_ = 0;  // of a slot of the wheel, and the component's bit there
  std::uint64_t bit_ = 1;
};

class Scheduler {
 public:
  // near_ticks: how far ahead most wake-ups lie; later ones go to a heap. Rounded up to a power of two.
  explicit Scheduler(Tick near_ticks = 4096);

  // Components are ranked in the order they are added; all must be added before the first wake-up.
  void add(Component& component);

  // Wake `component` at tick `at`, which must be later than now() (before the first run: at or after now()).
  [[gnu::always_inline]] void wake(const Component& component, Tick at) {
    assert(at > now_ || !started_);
    if (at - now_ < wheel_ticks_) [[likely]]
      set(component, at);
    else
      push_far({at, component.rank_});
  }

  // Runs every event before `limit`. Afterwards now() is the tick of the last event run.
  void run_until(Tick limit);
  // Runs until no event is pending.
  void run() { run_until(kNever); }

  // Tick of the earliest pending event, kNever if none.
  Tick next_event();
  // The components that have a wake-up pending.
  std::vector<const Component*> due() const;
  Tick now() const { return now_; }
  std::uint64_t events() const { return events_; }

 private:
  friend struct PlantedFault;  // tests/machine/deadlock_test.cpp: makes a component deaf
  struct Far {
    Tick at;
    std::uint32_t rank;
    bool operator>(const Far& o) const { return at != o.at ? at > o.at : rank > o.rank; }
  };

  [[gnu::always_inline]] void set(const Component& component, Tick at) {
    const std::size_t slot = at & (wheel_ticks_ - 1);
    slots_[slot * words_ + component.word_] |= component.bit_;
    occupied_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  }
  void push_far(const Far& event);
  void pull_far();
  Tick next_near() const;
  void run_slot(Tick at);
  void prefetch_ahead(Tick at) const;

  Tick wheel_ticks_;
  Tick now_ = 0;
  bool started_ = false;
  std::size_t words_ = 1;                // 64-bit words a slot
  std::vector<std::uint64_t> slots_;     // wheel_ticks_ x words_: who is due
  std::vector<std::uint64_t> occupied_;  // a bit a slot: is anyone due
  std::vector<Component*> components_;
  std::priority_queue<Far, std::vector<Far>, std::greater<>> far_;
  Tick far_at_ = kNever;  // of its first
  std::uint64_t events_ = 0;
};

}  // namespace t3sim
