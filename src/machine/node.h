// GPUs and what lies between them, through time.
//
// They are independent of each other for as long as the shortest latency between two of them (interconnect/fabric.h), so each
// may run on a thread of its own (sim/pacer.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "interconnect/fabric.h"
#include "machine/gpu.h"
#include "machine/stuck_report.h"
#include "sim/pacer.h"

namespace t3sim {

class Watchdog;

class Node : private Paced {
 public:
  // `count`: GPUs that there are; mirror: the one GPU stands for all.
  Node(const Config& config, const TimeBase& time);
  ~Node();

  std::vector<std::unique_ptr<Gpu>> gpus;
  std::unique_ptr<Fabric> fabric;

  // Until nothing moves any more. `progress` is called with 0 to 1. On `threads` threads, with the same result on any
  // number of them. Throws NoProgressError when work is left then, or when events go on and nothing moves.
  void run(const std::function<void(double)>& progress, unsigned threads);
  // Events before `limit` only; false if there are none from then on. Work may be left.
  bool run_until(Tick limit);
  // Of CPU, of all threads.
  double host_seconds() const { return host_seconds_; }
  std::uint64_t events() const;

  // For phases (phase.h): a GPU may be ahead of others where links join GPUs directly, because it sees nothing of what is
  // on its way to it. Programs can (flush), and so can copy engines whose puts a card starts.
  bool ahead = false;
  // Called after each step of a GPU, before what it has sent is carried over. Not by run_until().
  std::function<void(Gpu&)> after_step_of;
  // What a stuck-report begins with, if somebody knows better than the machine what is wrong; may be empty.
  std::function<std::string()> why_stuck;

 private:
  struct Known {
    bool running = false;
    std::uint64_t moves = 0;  // when they were counted last
    double progress = 0;
  };

  std::size_t parts() const override { return fabric->parts(); }
  Tick window() const override { return fabric->window(); }
  bool in_step() const override { return !ahead || fabric->network() != nullptr; }
  Tick next_event(std::size_t part) override;
  void before_step(std::size_t part, Tick limit) override;
  std::uint64_t step(std::size_t part, Tick limit) override;
  void after_step(std::size_t part) override;
  void exchange() override { fabric->exchange(); }
  const std::vector<std::size_t>& senders(std::size_t part) const override { return fabric->senders(part); }
  Go go_on(Tick now, bool at_rest) override;

  Scheduler& scheduler(std::size_t part) const;
  Tick next_event();
  void count_moves(Tick now);
  double progress_so_far() const;
  [[noreturn]] void report_livelock() const;
  [[noreturn]] void report_no_progress(const std::string& reason) const;
  ClusterView view() const { return {gpus, *fabric, config_.gpus.count}; }

  const Config& config_;
  TimeBase time_;
  std::unique_ptr<Watchdog> watchdog_;
  std::vector<Known> known_;  // by part
  bool computes_ = false;     // a GPU did, of those that were counted last
  bool livelock_ = false;
  std::uint64_t steps_ = 0;
  std::function<void(double)> progress_;
  double host_seconds_ = 0;
};

}  // namespace t3sim
