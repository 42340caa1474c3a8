#include "sim/pacer.h"

#include <algorithm>
#include <ctime>
#include <system_error>
#include <thread>

namespace t3sim {
namespace {

// After a step of fewer events, a part's next one is not worth waking another thread for.
constexpr std::uint64_t kEventsWorthAThread = 300;

Tick later(Tick tick, Tick by) { return tick > kNever - by ? kNever : tick + by; }

}  // namespace

double thread_cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

Pacer::Pacer(Paced& paced) : paced_(paced), parts_(paced.parts()), bounds_(parts_.size()) {}

void Pacer::run(unsigned threads) {
  threads_ = std::clamp<std::size_t>(threads, 1, parts_.size());
  std::vector<double> seconds(threads_ - 1);
  {
    std::vector<std::jthread> helpers;
    try {
      for (double& own : seconds)
        helpers.emplace_back([this, &own] {
          work();
          own = thread_cpu_seconds();
        });
    } catch (const std::system_error&) {  // the host gives no more threads: fewer do it too
      const std::lock_guard lock(mutex_);
      threads_ = helpers.size() + 1;
    }
    work();
  }
  for (const double own : seconds) helpers_seconds_ += own;
  for (const Part& part : parts_)
    if (part.failure) std::rethrow_exception(part.failure);
  if (failure_) std::rethrow_exception(failure_);
}

void Pacer::work() {
  std::unique_lock lock(mutex_);
  try {
    work_on(lock);
  } catch (...) {
    failure_ = std::current_exception();
    ended_ = true;
    changed_.notify_all();
  }
}

// The last thread that is awake takes every step there is. Others only those worth it: they would get in each other's way.
void Pacer::work_on(std::unique_lock<std::mutex>& lock) {
  while (!ended_) {
    const bool alone = waiting_ + 1 == threads_;
    if (const std::optional<Step> step = paced_.in_step() ? choose_in_step(alone) : choose(alone)) {
      take(lock, *step);
    } else if (alone) {
      ended_ = true;
      changed_.notify_all();
    } else {
      ++waiting_;
      changed_.wait(lock);
      --waiting_;
    }
  }
}

// The first part that has not been through the window.
std::optional<Pacer::Step> Pacer::choose_in_step(bool alone) {
  for (;;) {
    worthwhile_ = 0;
    std::optional<Step> first;
    bool left = running_ != 0;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (parts_[p].running || parts_[p].done == window_end_ || parts_[p].next >= window_end_) continue;
      left = true;
      if (takes(p, alone) && !first) first = Step{p, window_end_, 0, 0};
    }
    if (left || !begin_window()) return first;
  }
}

// False: there is none.
bool Pacer::begin_window() {
  if (failed_) return false;
  if (window_end_ != 0) paced_.exchange();
  Tick first = kNever;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    parts_[p].done = 0;
    parts_[p].next = paced_.next_event(p);
    first = std::min(first, parts_[p].next);
  }
  if (first == kNever || !may_go_on(first)) return false;
  window_end_ = later(first, paced_.window());
  return true;
}

// The step that gets on furthest: of GPUs on a ring every other one, by two windows. Of several the one whose senders are
// furthest behind, as its neighbours' steps become longer by it; then the first part's.
std::optional<Pacer::Step> Pacer::choose(bool alone) {
  std::optional<Step> best;
  worthwhile_ = 0;
  if (failed_ || !find_bounds()) return best;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (parts_[p].running) continue;
    const Step step = step_of(p);
    if (step.limit <= parts_[p].next || !takes(p, alone)) continue;
    if (!best || step.advance > best->advance || (step.advance == best->advance && step.ahead < best->ahead))
      best = step;
  }
  return best;
}

// A step that can be taken: by this thread?
bool Pacer::takes(std::size_t part, bool alone) {
  const bool worth_a_thread = parts_[part].events >= kEventsWorthAThread;
  worthwhile_ += worth_a_thread ? 1 : 0;
  return alone || worth_a_thread;
}

// A part that has no event soon may still get one from others, but none before the earliest of all events and a window.
bool Pacer::find_bounds() {
  Tick first = kNever;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    Part& part = parts_[p];
    if (!part.running) part.next = paced_.next_event(p);
    first = std::min(first, part.running ? part.done : part.next);
  }
  if (first == kNever || !may_go_on(first)) return false;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Part& part = parts_[p];
    bounds_[p] =
        part.running ? part.done : std::max(part.done, std::min(part.next, later(first, paced_.window())));
  }
  return true;
}

bool Pacer::may_go_on(Tick now) {
  const Paced::Go go = paced_.go_on(now, running_ == 0);
  if (go == Paced::Go::no) failed_ = true;
  return go == Paced::Go::on;
}

Pacer::Step Pacer::step_of(std::size_t part) const {
  Step step;
  step.part = part;
  Tick bound = kNever;
  for (const std::size_t sender : paced_.senders(part)) {
    bound = std::min(bound, bounds_[sender]);
    step.ahead = std::max(step.ahead, bounds_[sender]);
  }
  step.limit = later(bound, paced_.window());
  const Tick from = std::max(parts_[part].done, parts_[part].next);
  step.advance = step.limit - std::min(step.limit, from);
  return step;
}

void Pacer::take(std::unique_lock<std::mutex>& lock, const Step& step) {
  Part& part = parts_[step.part];
  part.running = true;
  ++running_;
  const bool others = worthwhile_ > (part.events >= kEventsWorthAThread ? 1 : 0);
  try {
    if (!paced_.in_step()) part.done = bounds_[step.part];
    paced_.before_step(step.part, step.limit);
    if (waiting_ != 0 && others) changed_.notify_one();
    lock.unlock();
    part.events = paced_.step(step.part, step.limit);
    lock.lock();
    paced_.after_step(step.part);
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    part.failure = std::current_exception();
    failed_ = true;
  }
  part.done = step.limit;
  part.running = false;
  --running_;
}

}  // namespace t3sim
