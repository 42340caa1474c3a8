// What a long run tells on standard error: the phase, how much of it is done, and the time left.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

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

  // A new phase, e.g. begin("t3: GEMM with reduce-scatter", 2, 5) for the second of five.
  void begin(std::string phase, unsigned step, unsigned steps);

  // Done of the phase, 0 to 1. Cheap: looks at the clock, writes at most five times a second.
  void update(double fraction) {
    if (mode_ == Mode::silent) return;
    const auto now = Clock::now();
    if (now >= next_) show(fraction, now);
  }

  // The phase is over.
  void end();

 private:
  using Clock = std::chrono::steady_clock;

  void show(double fraction, Clock::time_point now);
  void clear();
  std::string line(double fraction, double elapsed_s) const;

  Mode mode_;
  std::FILE* out_;
  std::string phase_;
  unsigned step_ = 0;
  unsigned steps_ = 0;
  Clock::time_point start_;
  Clock::time_point next_;
  bool shown_ = false;  // a line stands on the terminal
};

// "40 s", "3 min", "2.5 h".
std::string spoken_seconds(double seconds);

}  // namespace t3sim
