// How much of each part of a GPU a phase used: what its limits are counted from (run/limits.h).
#pragma once

#include <cstdint>

#include "interconnect/link_account.h"
#include "machine/phase_account.h"
#include "sim/time.h"

namespace t3sim {

// What the parts of a GPU have counted in a phase. Times in ticks; sums over CUs, slices and channels.
struct PhaseUse {
  PhaseAccount account;
  double ticks_per_second = 1;

  struct Compute {
    std::uint64_t cus = 0;
    double peak_flops = 0;         // a second, of all CUs
    Tick useful = 0, padding = 0;  // MatrixTime
    Tick until_dispatched = 0;     // of all places, until the dispatcher reaches them
  } compute;
  struct Loads {
    std::uint64_t groups = 0;
    Tick issuing = 0;  // a load a cycle
    Tick wait_in_flight = 0, wait_to_load = 0;
    Tick reply_wait = 0;
    Tick network_and_l2 = 0, dram_path = 0;  // of one, unloaded
  } loads;
  struct L2 {
    std::uint64_t read_requests = 0, read_sectors = 0, hit_sectors = 0, requests = 0;
    Tick input_wait = 0;                                         // of all requests
    Tick held_by_dram = 0, held_by_mshrs = 0, transferring = 0;  // of the slices
  } l2;
  struct Dram {
    std::uint64_t bytes = 0;
    double peak = 0;     // bytes a second
    Tick time = 0;       // with what the L2 writes back after the phase
    Tick idle_read = 0;  // what a read takes that finds no other
    struct Reads {
      std::uint64_t count = 0;
      Tick time = 0;
    } compute, communication;
  } dram;
  struct Link {
    LinkTime until_fed;  // when it last stopped to be idle for the kernel
    bool fed_by_kernel = true;
    std::uint64_t credit_ticks = 0;  // bytes x ticks that credits were out
    std::uint64_t wire_ticks = 0;    // ... of these, packets and credits on their way
    std::uint64_t memory_ticks = 0;  // ... packets at the other end, for memory
  } link;
};

}  // namespace t3sim
