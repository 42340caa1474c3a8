// What a long run tells on standard error: the phases it is at, how much of each is done, and the time left.
#pragma once

#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

namespace t3sim {

class Progress {
 public:
  enum class Mode {
    silent,
    lines,   // a line now and then: for logs
    rewrite  // one line that is rewritten: for terminals
  };

  explicit Progress(Mode mode, std::FILE* out = stderr) : mode_(mode), out_(out) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  // Silent if quiet, otherwise as standard error is a terminal or not.
  static Mode mode_for(bool quiet);

  // A new phase, e.g. begin("t3: GEMM with reduce-scatter", 2, 5) for the second of five. Phases may run side
  // by side, on several threads.
  void begin(std::string phase, unsigned step, unsigned steps);

  // Done of the phase, 0 to 1. Cheap: looks at the clock, writes at most five times a second.
  void update(unsigned step, double fraction);

  // The phase is over.
  void end(unsigned step);

 private:
  using Clock = std::chrono::steady_clock;

  struct Phase {
    std::string name;
    unsigned step = 0;
    Clock::time_point start;
    double fraction = 0;
  };

  Phase& phase(unsigned step);
  void show(Clock::time_point now);
  void clear();
  std::string line(const Phase& phase, Clock::time_point now) const;

  Mode mode_;
  std::FILE* out_;
  std::mutex mutex_;
  std::vector<Phase> running_;
  unsigned steps_ = 0;
  Clock::time_point next_;
  bool shown_ = false;  // a line stands on the terminal
};

// "40 s", "3 min", "2.5 h".
std::string spoken_seconds(double seconds);

}  // namespace t3sim
