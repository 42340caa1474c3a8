// Steps parts that know nothing of each other for a while, e.g. GPUs, on as many threads as there are.
//
// What one part does at tick t, another sees at t + window at the earliest (conservative parallel simulation). So a part may
// run as far as `window` behind the least advanced of those that can reach it. No part waits for all others: on a ring
// of GPUs one that its two neighbours have overtaken runs two windows in a go, and finds its data in the host's caches.
//
// When a part is handed what was sent to it depends on the threads then. Where a part can tell what is on its way to it
// from what is not sent yet, parts run in step instead: all of them through one window, then all exchange.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <vector>

#include "sim/time.h"

namespace t3sim {

// CPU time of the calling thread.
double thread_cpu_seconds();

// What a pacer steps. All but step() is called by one thread at a time.
class Paced {
 public:
  virtual ~Paced() = default;

  virtual std::size_t parts() const = 0;
  // How much later than it was sent something is seen, in ticks.
  virtual Tick window() const = 0;
  virtual bool in_step() const = 0;
  // Tick of the part's earliest event, with what is on its way to it; kNever if there is none. Not while the part runs.
  virtual Tick next_event(std::size_t part) = 0;
  virtual void before_step(std::size_t part, Tick limit) = 0;
  // Runs all events before `limit`; returns how many. On any thread, parts side by side.
  virtual std::uint64_t step(std::size_t part, Tick limit) = 0;
  virtual void after_step(std::size_t part) = 0;

  // In step, after each window: carries over what all parts have sent.
  virtual void exchange() = 0;
  // Else, the parts that can send something to this one, one at least. Before a step all has been sent that the part sees
  // before `limit`.
  virtual const std::vector<std::size_t>& senders(std::size_t part) const = 0;

  enum class Go : std::uint8_t {
    on,
    when_at_rest,  // ask again when no part runs
    no,            // no part is to be stepped again
  };
  // Nothing happens before `now` any more.
  virtual Go go_on(Tick now, bool at_rest) = 0;
};

class Pacer {
 public:
  explicit Pacer(Paced& paced);

  // Until no part has an event, or go_on() says so. On `threads` threads, the calling one among them. After something has been
  // thrown, no other step begins (in step: no window), and it is thrown on; of several, what the first part has thrown.
  void run(unsigned threads);

  // Of CPU, of the threads that run() has started.
  double helpers_cpu_seconds() const { return helpers_seconds_; }

 private:
  struct Part {
    Tick done = 0;             // all events before it have run
    Tick next = kNever;        // the earliest one; not of a part that runs
    std::uint64_t events = 0;  // of the last step
    bool running = false;
    std::exception_ptr failure;
  };
  struct Step {
    std::size_t part = 0;
    Tick limit = 0;
    Tick advance = 0;  // ticks
    Tick ahead = 0;    // the most advanced of its senders
  };

  void work();
  void work_on(std::unique_lock<std::mutex>& lock);
  std::optional<Step> choose(bool alone);
  std::optional<Step> choose_in_step(bool alone);
  bool begin_window();
  bool may_go_on(Tick now);
  bool find_bounds();
  Step step_of(std::size_t part) const;
  bool takes(std::size_t part, bool alone);
  void take(std::unique_lock<std::mutex>& lock, const Step& step);

  Paced& paced_;
  std::vector<Part> parts_;
  std::vector<Tick> bounds_;    // by part: it sends nothing before
  Tick window_end_ = 0;         // in step
  std::size_t running_ = 0;     // parts
  std::size_t worthwhile_ = 0;  // steps that can be taken and are worth a thread
  bool failed_ = false, ended_ = false;
  std::exception_ptr failure_;  // of none of the parts
  std::mutex mutex_;            // of all of this
  std::condition_variable changed_;
  std::size_t waiting_ = 0, threads_ = 1;
  double helpers_seconds_ = 0;
};

}  // namespace t3sim
