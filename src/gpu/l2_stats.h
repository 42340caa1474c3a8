// What an L2 slice counts.
#pragma once

#include <cstdint>

#include "sim/request.h"
#include "sim/stats.h"

namespace t3sim {

struct L2Stats {
  std::uint64_t read_requests = 0, read_sectors = 0, hit_sectors = 0;
  Tick input_wait = 0;    // of all requests, from arrival to being served
  Tick transferring = 0;  // data over the slice's port
  std::uint64_t miss_sectors = 0, merged_sectors = 0;
  std::uint64_t store_requests = 0, store_sectors = 0, store_miss_sectors = 0, bypass_sectors = 0,
                writeback_sectors = 0;
  std::uint64_t evicted_lines = 0;
  std::uint64_t dropped_sectors = 0;        // that a write over a link has made stale
  Tick wait_dram_queue = 0, wait_mshr = 0;  // time the head of the input queue was held up

  void report(Counters& out) const {
    out.count("read_requests", read_requests, "requests of CUs to read a line");
    out.bytes("read_bytes", read_sectors * kSectorBytes, "that they ask for");
    out.bytes("hit_bytes", hit_sectors * kSectorBytes, "of these, that the slice holds");
    out.bytes("miss_bytes", miss_sectors * kSectorBytes, "of these, that it fetches from DRAM");
    out.bytes("merged_bytes", merged_sectors * kSectorBytes, "of these, that are on their way already");
    out.count("store_requests", store_requests, "requests to store to a line");
    out.bytes("store_bytes", store_sectors * kSectorBytes, "stored into the slice");
    out.bytes("store_miss_bytes", store_miss_sectors * kSectorBytes,
              "of these, into lines that it did not hold");
    out.bytes("bypass_bytes", bypass_sectors * kSectorBytes, "of uncached stores, which pass by to memory");
    out.bytes("writeback_bytes", writeback_sectors * kSectorBytes, "of dirty lines, written to memory");
    out.bytes("dropped_bytes", dropped_sectors * kSectorBytes, "that a write over a link has made stale");
    out.count("evicted_lines", evicted_lines, "lines that made room for others");
    out.time("wait_dram_queue", wait_dram_queue,
             "the head of the input queue waits for room in the DRAM queue");
    out.time("wait_mshr", wait_mshr, "the head of the input queue waits for an MSHR or a line to replace");
  }
};

}  // namespace t3sim
