// What a running sweep tells on standard error: how far it is, what failed, how long it still takes.
#pragma once

#include <chrono>
#include <string>

#include "results/progress.h"
#include "sweep/plan.h"

namespace t3sim::sweep {

// What is known of a running sweep.
struct SweepState {
  std::size_t points = 0;
  std::size_t done = 0;
  std::size_t running = 0;
  std::size_t failed = 0;
  // Since this process started:
  double seconds = 0;
  double work_done = 0;
  double work_left = 0;
  double events = 0;
};

// "[37/300] 2 running, 0 failed, 3.2 M events/s, about 4 min left". The time left takes the rest to go as
// fast as what this process saw done, by the points' estimated work; nothing is said before something is
// done.
std::string progress_line(const SweepState& state);

class SweepProgress {
 public:
  explicit SweepProgress(Progress::Mode mode) : mode_(mode) {}
  SweepProgress(const SweepProgress&) = delete;
  SweepProgress& operator=(const SweepProgress&) = delete;
  ~SweepProgress() { clear(); }

  // Writes when it is time to.
  void show(const SweepState& state);
  // A line that stays.
  void say(const std::string& text);

 private:
  using Clock = std::chrono::steady_clock;
  void clear();

  Progress::Mode mode_;
  Clock::time_point next_ = Clock::now();
  bool shown_ = false;
};

}  // namespace t3sim::sweep
