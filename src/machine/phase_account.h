// Where the time of a phase went on its slowest GPU, in integers: what the gap to the ideal overlap is
// explained from (gap.h).
#pragma once

#include "gpu/idle_account.h"
#include "interconnect/link_account.h"
#include "sim/time.h"

namespace t3sim {

// The matrix units' account, in ticks x places for workgroups (CUs x workgroups a CU).
struct KernelAccount {
  std::uint64_t places = 0;               // 0: no kernel
  Tick time = 0;                          // of the kernel, in ticks
  Tick working = 0;                       // matrix work
  WaitTimes idle;                         // what places waited for while the matrix unit stood idle
  WaitTimes all;                          // ... whether it did or not
  Tick loading = 0;                       // from the first load of a group to the arrival of its last one
  std::uint64_t reads = 0;                // of DRAM, by the compute stream
  std::uint64_t read_latency_cycles = 0;  // of all of these, in memory cycles

  Tick total() const { return working + idle.total(); }
};

struct PhaseAccount {
  Tick time = 0;  // to the GPU's end
  KernelAccount kernel;
  // Of the port that was busy longest: of the phase, and up to the kernel's end.
  std::uint32_t port = 0;
  LinkTime link, link_at_kernel_end;
};

}  // namespace t3sim
