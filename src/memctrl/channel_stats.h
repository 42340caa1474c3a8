// What a channel counts.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "memctrl/dram_queue.h"
#include "memctrl/latency_histogram.h"
#include "sim/request.h"
#include "sim/stats.h"

namespace t3sim {

inline constexpr int kOps = 3;

// What a report says of a run besides.
struct ChannelRun {
  const DramQueueStats& queue;
  Tick elapsed;
  Tick period;  // of the memory clock
  std::uint32_t burst_cycles;
};

// Sums over time are in ticks; report() turns them into memory cycles.
struct ChannelStats {
  explicit ChannelStats(Tick series_interval);

  void performed(const Request& request, Tick now) { moved(request, request.op, now); }
  // The read of an atomic update; performed() counts its write.
  void fetched(const Request& request, Tick now) { moved(request, Op::read, now); }
  // The queue held these occupancies from `from` to `to`.
  void occupied(unsigned compute_bursts, unsigned communication_bursts, Tick from, Tick to) {
    occupancy_ticks[0] += compute_bursts * (to - from);
    occupancy_ticks[1] += communication_bursts * (to - from);
    if (to >= occupancy_bin_end) occupied_over_time(compute_bursts, communication_bursts, to);
  }
  // Closes the last interval of `occupancy`.
  void settle();
  void report(StatsSink& sink, std::string_view component, const ChannelRun& run) const;

  std::uint64_t occupancy_ticks[kStreams] = {};  // bursts x ticks in the DRAM queue

 private:
  void moved(const Request& request, Op op, Tick now);
  void occupied_over_time(unsigned compute_bursts, unsigned communication_bursts, Tick to);

  Tick occupancy_bin_end = kNever;                         // of the interval that is being summed
  std::array<std::uint64_t, kStreams> occupancy_before{};  // sums at its start

 public:
  std::uint64_t bytes[kTraffics][kOps] = {};
  std::uint64_t bytes_of_stream[kStreams] = {};
  std::uint64_t requests[kStreams] = {};
  // Where requests waited: in a port or the side queue, of that at the head of the port, and in the DRAM
  // queue.
  std::uint64_t port_wait_ticks[kStreams] = {};
  std::uint64_t head_wait_ticks[kStreams] = {};
  std::uint64_t queue_wait_ticks[kStreams] = {};
  std::uint64_t max_occupancy = 0;
  std::uint64_t parked = 0;  // requests that waited for the Tracker in the side queue
  std::uint64_t max_parked = 0;
  std::array<LatencyHistogram, kStreams> read_latency;  // memory cycles, from `ready` to the end of the data
  // Over time: bytes by cause, read and written (updates count as written).
  std::array<std::array<Series, 2>, kTraffics> series;
  std::array<Series, kStreams> occupancy;  // bursts x ticks in the DRAM queue
};

}  // namespace t3sim
