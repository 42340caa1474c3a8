#include "sweep/sweep_progress.h"

#include <fmt/format.h>

#include <cstdio>

namespace t3sim::sweep {
namespace {

using namespace std::chrono_literals;

constexpr auto kRewriteEvery = 200ms;
constexpr auto kLineEvery = 30s;
constexpr double kTellAfterSeconds = 2;

}  // namespace

std::string progress_line(const SweepState& state) {
  std::string text =
      fmt::format("[{}/{}] {} running, {} failed", state.done, state.points, state.running, state.failed);
  if (state.seconds < kTellAfterSeconds || state.work_done <= 0) return text;
  if (state.events > 0) text += fmt::format(", {:.1f} M events/s", state.events / state.seconds / 1e6);
  return text +
         fmt::format(", about {} left", spoken_seconds(state.seconds * state.work_left / state.work_done));
}

void SweepProgress::show(const SweepState& state) {
  if (mode_ == Progress::Mode::silent || Clock::now() < next_) return;
  const bool rewrite = mode_ == Progress::Mode::rewrite;
  fmt::print(stderr, "{}{}{}", rewrite ? "\r\033[K" : "", progress_line(state), rewrite ? "" : "\n");
  std::fflush(stderr);
  shown_ = rewrite;
  next_ = Clock::now() + (rewrite ? Clock::duration(kRewriteEvery) : Clock::duration(kLineEvery));
}

void SweepProgress::say(const std::string& text) {
  clear();
  fmt::print(stderr, "{}\n", text);
  std::fflush(stderr);
}

void SweepProgress::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

}  // namespace t3sim::sweep
