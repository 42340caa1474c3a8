// Runs of the machine for measured rows: each distinct one once, kept in a folder by the hash of what decides
// it.
#pragma once

#include <future>
#include <map>
#include <mutex>
#include <string>

#include "machine/gpu.h"

namespace t3sim {

// One phase of a machine, or the program that its configuration names. What it depends on is in `config` and `what`.
struct MachineRun {
  Config config;
  Phase phase;
  std::string what;  // of the phase: kind, plan
  std::string key() const;
};

struct MachineRunResult {
  double seconds = 0;
  double dram_read = 0, l2_read = 0;  // bytes, of GPU 0
  // Of a program: when the last kernel ends, and the last copy or collective, on the GPU where it is last.
  double kernels_s = 0, transfers_s = 0;
  std::uint64_t clock_hz = 0;  // at which it ran
  double cpu_seconds = 0;
};

// Safe to use from several threads. `folder`: where results are kept; empty: nowhere.
class MachineRuns {
 public:
  explicit MachineRuns(std::string folder);

  // The result of a run: from the folder, or simulated now. Throws what a run throws.
  MachineRunResult get(const MachineRun& run);

  // Simulated by this object, and CPU seconds of all that was asked for, kept ones included.
  struct Cost {
    std::size_t simulated = 0, kept = 0;
    double cpu_seconds = 0;
  };
  Cost cost() const;

 private:
  std::string file(const std::string& key) const { return folder_ + "/" + key; }
  MachineRunResult make(const MachineRun& run, const std::string& key);

  std::string folder_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_future<MachineRunResult>> runs_;
  Cost cost_;
};

}  // namespace t3sim
