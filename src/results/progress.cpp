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

Progress::Phase& Progress::phase(unsigned step) { return *std::ranges::find(running_, step, &Phase::step); }

void Progress::begin(std::string phase, unsigned step, unsigned steps) {
  if (mode_ == Mode::silent) return;
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  steps_ = steps;
  if (running_.empty())
    next_ = now + (mode_ == Mode::rewrite ? Clock::duration(0s) : Clock::duration(kLineEvery));
  running_.push_back({std::move(phase), step, now, 0});
  if (now >= next_) show(now);
}

void Progress::update(unsigned step, double fraction) {
  if (mode_ == Mode::silent) return;
  const std::lock_guard lock(mutex_);
  phase(step).fraction = std::clamp(fraction, 0.0, 1.0);
  const auto now = Clock::now();
  if (now >= next_) show(now);
}

void Progress::end(unsigned step) {
  if (mode_ == Mode::silent) return;
  const std::lock_guard lock(mutex_);
  const Phase& over = phase(step);
  if (mode_ == Mode::lines)
    fmt::print(out_, "[{}/{}] {}: done in {}\n", step, steps_, over.name,
               spoken_seconds(std::chrono::duration<double>(Clock::now() - over.start).count()));
  std::erase_if(running_, [&](const Phase& p) { return p.step == step; });
  clear();
}

void Progress::show(Clock::time_point now) {
  std::string text;
  for (const Phase& phase : running_) text += (text.empty() ? "" : "; ") + line(phase, now);
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
std::string Progress::line(const Phase& phase, Clock::time_point now) const {
  const double elapsed_s = std::chrono::duration<double>(now - phase.start).count();
  std::string text =
      fmt::format("[{}/{}] {}: {:.0f} %", phase.step, steps_, phase.name, 100 * phase.fraction);
  if (phase.fraction >= kTellAfter && elapsed_s >= kTellAfterSeconds)
    text += fmt::format(", about {} left in this step",
                        spoken_seconds(elapsed_s * (1 - phase.fraction) / phase.fraction));
  return text;
}

}  // namespace t3sim
