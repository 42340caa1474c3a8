// All GPUs of a node through one phase.
//
// GPUs are stepped in windows of the shortest latency between two of them (interconnect/fabric.h): within a
// window they are independent of each other.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "interconnect/fabric.h"
#include "machine/gpu.h"

namespace t3sim {

struct PhaseResult {
  Phase phase;
  Tick ticks = 0;
  double time_us = 0;
  DramBytes dram;                 // of GPU 0
  std::uint64_t link_bytes = 0;   // of GPU 0
  TrackerStats tracker;           // of the GPU with the highest peak
  TrackerEntryBits tracker_bits;  // of the same
  bool tracked = false;
  std::uint64_t stalled_stores = 0;  // of all GPUs
  PhaseUse use;                      // of the GPU that took longest
  std::uint64_t events = 0;
  double host_seconds = 0;
  std::vector<std::unique_ptr<Gpu>> gpus;  // for statistics
  std::unique_ptr<Fabric> fabric;          // the same
};

class Watchdog;

// Lines that a phase has left dirty, by GPU and L2 slice (KernelBoundary::flush).
using Leftovers = std::vector<std::vector<DirtyLines>>;

class Node {
 public:
  // `functional`: a state a GPU, or null. `l2`: contents a GPU that are taken over and left behind, or null.
  // `before`: what the phase before has left dirty, written back while this one runs, or null. `after` gets what
  // this one leaves; null: nothing runs after it, and it writes back its own.
  Node(const Config& config, const Phase& phase, const TimeBase& time, std::vector<FunctionalGpu>* functional,
       std::vector<std::vector<L2Contents>>* l2 = nullptr, const Leftovers* before = nullptr,
       Leftovers* after = nullptr);

  // Runs the phase to its end, checks conservation and the byte table. `progress` is called with 0 to 1.
  // Throws NoProgressError when nothing moves although work is left, CheckError when a check fails.
  PhaseResult run(const std::function<void(double)>& progress);

  // For tests: called after each window, before what was sent in it is carried over.
  std::function<void(Gpu&)> after_window;

 private:
  Tick next_event();
  std::uint64_t moves() const;
  bool computes(Tick now) const;
  [[noreturn]] void report_livelock(const Watchdog& watchdog) const;
  [[noreturn]] void report_no_progress(const std::string& reason) const;
  void check();

  const Config& config_;
  std::vector<std::vector<L2Contents>>* l2_;
  Leftovers* after_;
  Phase phase_;
  TimeBase time_;
  std::vector<std::unique_ptr<Gpu>> gpus_;
  std::unique_ptr<Fabric> fabric_;
};

// The bytes that GPU `rank` must move in a phase (DESIGN: byte table); gemm_read is not closed-form and is 0.
// `least`: what a kernel reads several times is counted once, as the L2 may keep it.
DramBytes expected_bytes(const Config& config, const Phase& phase, std::uint32_t rank, bool least = false);

}  // namespace t3sim
