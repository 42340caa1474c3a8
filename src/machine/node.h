// GPUs and what lies between them, through time.
//
// They are stepped in windows of the shortest latency between two of them (interconnect/fabric.h): within a window
// they are independent of each other, so each may run on a thread of its own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "interconnect/fabric.h"
#include "machine/gpu.h"
#include "machine/stuck_report.h"

namespace t3sim {

class Team;
class Watchdog;

class Node {
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

  // Called after each window, before what was sent in it is carried over.
  std::function<void(Gpu&)> after_window;
  // What a stuck-report begins with, if somebody knows better than the machine what is wrong; may be empty.
  std::function<std::string()> why_stuck;

 private:
  Tick next_event();
  void run_windows(const std::function<void(double)>& progress, Team& team, Tick limit = kNever);
  void run_window(Tick limit, Team& team);
  double progress_so_far() const;
  std::uint64_t moves() const;
  bool computes(Tick now) const;
  [[noreturn]] void report_livelock(const Watchdog& watchdog) const;
  [[noreturn]] void report_no_progress(const std::string& reason) const;
  ClusterView view() const { return {gpus, *fabric, config_.gpus.count}; }

  const Config& config_;
  TimeBase time_;
  std::unique_ptr<Watchdog> watchdog_;
  std::uint64_t window_events_ = 0;  // of the last window
  double host_seconds_ = 0;
};

}  // namespace t3sim
