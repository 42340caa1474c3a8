// What a CU counts.
#pragma once

#include <cstdint>

#include "sim/request.h"
#include "sim/stats.h"

namespace t3sim {

struct CuStats {
  std::uint64_t store_lines = 0, remote_store_lines = 0;
  std::uint64_t workgroups = 0;
  Tick wait_network = 0;     // the next access waited for room in an L2 slice's queue or at the link
  Tick wait_in_flight = 0;   // ... for one of the loads in flight to return
  Tick wait_to_load = 0;     // of wait_network, the loads'
  Tick loading = 0;          // of all groups, from the first load to the arrival of the last
  std::uint64_t groups = 0;  // of these
  std::uint64_t load_lines = 0, load_sectors = 0, l1_hit_sectors = 0;
  Tick reply_wait = 0;  // of loads, for the CU's reply port and to come in through it

  void report(Counters& out) const {
    out.count("workgroups", workgroups, "that the CU has run");
    out.count("load_lines", load_lines, "loads, of a line at most each");
    out.bytes("load_bytes", load_sectors * kSectorBytes, "that they ask for");
    out.bytes("l1_hit_bytes", l1_hit_sectors * kSectorBytes, "of these, that the L1 holds");
    out.count("store_lines", store_lines, "stores, of a line at most each");
    out.count("remote_store_lines", remote_store_lines, "of these, to other GPUs");
    out.time("wait_network", wait_network, "the next access waits for room at an L2 slice or a link");
    out.time("wait_loads_in_flight", wait_in_flight, "the next load waits for one in flight to return");
  }
};

}  // namespace t3sim
