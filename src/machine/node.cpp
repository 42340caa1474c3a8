#include "machine/node.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "machine/watchdog.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kStepsPerReport = 64;  // of each part

}  // namespace

Node::Node(const Config& config, const TimeBase& time)
    : config_(config), time_(time), watchdog_(std::make_unique<Watchdog>(longest_wait(config, time))) {}
Node::~Node() = default;

Scheduler& Node::scheduler(std::size_t part) const {
  return part < gpus.size() ? gpus[part]->scheduler() : fabric->network()->scheduler();
}

Tick Node::next_event(std::size_t part) {
  return std::min(scheduler(part).next_event(), fabric->waiting(part));
}

void Node::before_step(std::size_t part, Tick limit) {
  known_[part].running = true;
  if (!in_step()) fabric->hand_over(part, limit);
}

std::uint64_t Node::step(std::size_t part, Tick limit) {
  Scheduler& own = scheduler(part);
  const std::uint64_t before = own.events();
  own.run_until(limit);
  return own.events() - before;
}

void Node::after_step(std::size_t part) {
  known_[part].running = false;
  if (after_step_of && part < gpus.size()) after_step_of(*gpus[part]);
  if (!in_step()) fabric->collect(part);
  if (!progress_) return;
  const std::uint64_t between = kStepsPerReport * parts();
  if (steps_++ % between < parts() && part < gpus.size()) known_[part].progress = gpus[part]->progress();
  if (steps_ % between == parts()) progress_(progress_so_far());
}

Paced::Go Node::go_on(Tick now, bool at_rest) {
  if (!watchdog_->due(now)) return Go::on;
  count_moves(now);
  std::uint64_t moves = 0;
  for (const Known& known : known_) moves += known.moves;
  if (watchdog_->stands(moves) && !computes_ && !at_rest) return Go::when_at_rest;
  livelock_ = watchdog_->stuck(now, moves, computes_);
  return livelock_ ? Go::no : Go::on;
}

// Of parts that run: as they were.
void Node::count_moves(Tick now) {
  computes_ = false;
  for (std::size_t part = 0; part < parts(); ++part) {
    Known& known = known_[part];
    if (known.running) continue;
    known.moves = part < gpus.size() ? gpus[part]->moves() : fabric->moves();
    computes_ |= part < gpus.size() && gpus[part]->computes(now);
  }
}

void Node::run(const std::function<void(double)>& progress, unsigned threads) {
  const double begin = thread_cpu_seconds();
  known_.assign(parts(), {});
  progress_ = progress;
  Pacer pacer(*this);
  pacer.run(threads);
  if (livelock_) report_livelock();
  for (const auto& gpu : gpus)
    if (!gpu->complete() || !fabric->idle()) report_no_progress("nothing moves any more, but work is left");
  host_seconds_ = thread_cpu_seconds() - begin + pacer.helpers_cpu_seconds();
}

bool Node::run_until(Tick limit) {
  const double begin = thread_cpu_seconds();
  known_.assign(parts(), {});
  for (Tick next = next_event(); next < limit; next = next_event()) {
    if (go_on(next, true) == Go::no) report_livelock();
    for (std::size_t part = 0; part < parts(); ++part) scheduler(part).run_until(next + fabric->window());
    fabric->exchange();
  }
  host_seconds_ += thread_cpu_seconds() - begin;
  return next_event() != kNever;
}

Tick Node::next_event() {
  Tick next = kNever;
  for (std::size_t part = 0; part < parts(); ++part) next = std::min(next, next_event(part));
  return next;
}

std::uint64_t Node::events() const {
  std::uint64_t sum = 0;
  for (std::size_t part = 0; part < parts(); ++part) sum += scheduler(part).events();
  return sum;
}

double Node::progress_so_far() const {
  double done = 1;
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) done = std::min(done, known_[gpu].progress);
  return done;
}

// Events go on, so somebody wakes for ever: whoever has a wake-up pending.
void Node::report_livelock() const {
  const std::string awake = awake_parts(view());
  report_no_progress(fmt::format(
      "events go on, but for {:.3g} us nothing has moved, longer than any wait of this configuration "
      "({:.3g} us); still waking: {}",
      time_.to_us(watchdog_->quiet_for()), time_.to_us(watchdog_->limit()),
      awake.empty() ? "the switch" : awake));
}

void Node::report_no_progress(const std::string& reason) const {
  const std::string why = why_stuck ? why_stuck() : "";
  throw NoProgressError(why + stuck_report(view(), reason));
}

}  // namespace t3sim
