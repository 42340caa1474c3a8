// All GPUs together, through one phase.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "interconnect/fabric.h"
#include "machine/gpu.h"
#include "machine/node.h"
#include "machine/phase.h"
#include "machine/phase_use.h"
#include "machine/result_counters.h"

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
  CounterBlocks counters;  // that results.json has: of the same GPU; if none has a Tracker, of GPU 0
  PhaseUse use;            // of the GPU that took longest
  std::uint64_t events = 0;
  double host_seconds = 0;                 // of CPU, of all threads
  std::vector<std::unique_ptr<Gpu>> gpus;  // for statistics
  std::unique_ptr<Fabric> fabric;          // the same
};

// Lines that a phase has left dirty, by GPU and L2 slice (KernelBoundary::flush).
using Leftovers = std::vector<std::vector<DirtyLines>>;

// What a phase takes over from the one before it, and what it leaves. All by GPU.
struct Handover {
  std::vector<FunctionalGpu>* functional = nullptr;    // functional mode
  std::vector<std::vector<L2Contents>>* l2 = nullptr;  // taken over and left behind
  const Leftovers* before = nullptr;  // dirty lines of the phase before, written back while this one runs
  Leftovers* after = nullptr;         // gets this one's; null: nothing runs after it, it writes back its own
};

class Cluster {
 public:
  Cluster(const Config& config, const Phase& phase, const TimeBase& time, const Handover& handover = {});

  // Runs the phase to its end, checks conservation and the byte table. `progress` is called with 0 to 1.
  // On `threads` threads, with the same result on any number of them.
  // Throws NoProgressError when nothing moves although work is left, CheckError when a check fails.
  PhaseResult run(const std::function<void(double)>& progress, unsigned threads = 1);

  // For tests: called after each step of a GPU.
  void after_step(std::function<void(Gpu&)> look) { node_.after_step_of = std::move(look); }

 private:
  void check() const;
  void check_bytes(std::uint32_t rank) const;

  PhaseResult result();
  void add_tracker(const Gpu& gpu, PhaseResult& result) const;
  const Gpu& with_fullest_tracker() const;
  void hand_over();

  const Config& config_;
  Handover handover_;
  Phase phase_;
  TimeBase time_;
  Node node_;
};

// Do the phase's bytes follow from its plans?
bool has_byte_table(const Phase& phase);
// The bytes that GPU `rank` must move in a phase (docs/architecture.md: byte table); what the GEMM reads is not
// closed-form and is 0. Of a phase without a byte table: nothing.
// `least`: what a kernel reads several times is counted once, as the L2 may keep it.
DramBytes expected_bytes(const Config& config, const Phase& phase, std::uint32_t rank, bool least = false);

}  // namespace t3sim
