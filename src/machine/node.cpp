#include "machine/node.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "machine/watchdog.h"
#include "sim/team.h"

namespace t3sim {
namespace {

constexpr int kWindowsPerReport = 64;
// After a window of fewer events, the next one is not worth waking other threads for.
constexpr std::uint64_t kEventsWorthThreads = 2000;

}  // namespace

Node::Node(const Config& config, const TimeBase& time)
    : config_(config), time_(time), watchdog_(std::make_unique<Watchdog>(longest_wait(config, time))) {}
Node::~Node() = default;

Tick Node::next_event() {
  Tick next = fabric->next_event();
  for (auto& gpu : gpus) next = std::min(next, gpu->scheduler().next_event());
  return next;
}

std::uint64_t Node::events() const {
  std::uint64_t sum = fabric->events();
  for (const auto& gpu : gpus) sum += gpu->scheduler().events();
  return sum;
}

double Node::progress_so_far() const {
  double done = 1;
  for (const auto& gpu : gpus) done = std::min(done, gpu->progress());
  return done;
}

// GPUs and what lies between them are independent of each other for the length of a window.
void Node::run_window(Tick limit, Team& team) {
  const auto step = [&](std::size_t i) {
    if (i < gpus.size())
      gpus[i]->scheduler().run_until(limit);
    else
      fabric->run_until(limit);
  };
  const std::uint64_t before = events();
  if (window_events_ >= kEventsWorthThreads)
    team.run(gpus.size() + 1, step);
  else
    for (std::size_t i = 0; i <= gpus.size(); ++i) step(i);
  window_events_ = events() - before;
}

void Node::run_windows(const std::function<void(double)>& progress, Team& team, Tick limit) {
  int windows = 0;
  for (Tick next = next_event(); next < limit; next = next_event()) {
    if (watchdog_->due(next) && watchdog_->stuck(next, moves(), computes(next))) report_livelock(*watchdog_);
    run_window(next + fabric->window(), team);
    if (after_window)
      for (auto& gpu : gpus) after_window(*gpu);
    fabric->exchange();
    if (++windows % kWindowsPerReport == 0 && progress) progress(progress_so_far());
  }
}

void Node::run(const std::function<void(double)>& progress, unsigned threads) {
  const double start = thread_cpu_seconds();
  Team team(std::clamp<unsigned>(threads, 1, narrow<unsigned>(gpus.size())));
  run_windows(progress, team);
  for (const auto& gpu : gpus)
    if (!gpu->complete() || !fabric->idle()) report_no_progress("nothing moves any more, but work is left");
  host_seconds_ = thread_cpu_seconds() - start + team.helpers_cpu_seconds();
}

bool Node::run_until(Tick limit) {
  const double start = thread_cpu_seconds();
  Team team(1);
  run_windows({}, team, limit);
  host_seconds_ += thread_cpu_seconds() - start;
  return next_event() != kNever;
}

std::uint64_t Node::moves() const {
  std::uint64_t sum = fabric->moves();
  for (const auto& gpu : gpus) sum += gpu->moves();
  return sum;
}

bool Node::computes(Tick now) const {
  for (const auto& gpu : gpus)
    if (gpu->computes(now)) return true;
  return false;
}

// Events go on, so somebody wakes for ever: whoever has a wake-up pending.
void Node::report_livelock(const Watchdog& watchdog) const {
  const std::string awake = awake_parts(view());
  report_no_progress(fmt::format(
      "events go on, but for {:.3g} us nothing has moved, longer than any wait of this configuration "
      "({:.3g} us); still waking: {}",
      time_.to_us(watchdog.quiet_for()), time_.to_us(watchdog.limit()),
      awake.empty() ? "the switch" : awake));
}

void Node::report_no_progress(const std::string& reason) const {
  const std::string why = why_stuck ? why_stuck() : "";
  throw NoProgressError(why + stuck_report(view(), reason));
}

}  // namespace t3sim
