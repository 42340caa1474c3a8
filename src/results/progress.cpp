#include "results/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace t3sim {
namespace {

using namespace std::chrono_literals;

constexpr auto kRewriteEvery = 200ms;
constexpr auto kLineEvery = 10s;
// Before this much is done, a time left would be a guess.
constexpr double kTellAfter = 0.02;
constexpr double kTellAfterSeconds = 1;

}  // namespace

std::string spoken_seconds(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 90 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

Progress::Mode Progress::mode_for(bool quiet) {
  if (quiet) return Mode::silent;
  return ::isatty(STDERR_FILENO) ? Mode::rewrite : Mode::lines;
}

void Progress::begin(std::string phase, unsigned step, unsigned steps) {
  phase_ = std::move(phase);
  step_ = step;
  steps_ = steps;
  start_ = Clock::now();
  next_ = start_ + (mode_ == Mode::rewrite ? Clock::duration(0s) : Clock::duration(kLineEvery));
  update(0);
}

void Progress::end() {
  if (mode_ == Mode::lines && steps_ > 0)
    fmt::print(out_, "[{}/{}] {}: done in {}\n", step_, steps_, phase_,
               spoken_seconds(std::chrono::duration<double>(Clock::now() - start_).count()));
  clear();
}

void Progress::show(double fraction, Clock::time_point now) {
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const std::string text = line(std::clamp(fraction, 0.0, 1.0), elapsed);
  if (mode_ == Mode::rewrite)
    fmt::print(out_, "\r\033[K{}", text);
  else
    fmt::print(out_, "{}\n", text);
  std::fflush(out_);
  shown_ = mode_ == Mode::rewrite;
  next_ = now + (mode_ == Mode::rewrite ? Clock::duration(kRewriteEvery) : Clock::duration(kLineEvery));
}

void Progress::clear() {
  if (!shown_) return;
  fmt::print(out_, "\r\033[K");
  std::fflush(out_);
  shown_ = false;
}

// The time left takes the phase to go on at its mean rate so far, and says so only once there is one.
std::string Progress::line(double fraction, double elapsed_s) const {
  std::string text = fmt::format("[{}/{}] {}: {:.0f} %", step_, steps_, phase_, 100 * fraction);
  if (fraction >= kTellAfter && elapsed_s >= kTellAfterSeconds)
    text +=
        fmt::format(", about {} left in this step", spoken_seconds(elapsed_s * (1 - fraction) / fraction));
  return text;
}

}  // namespace t3sim
