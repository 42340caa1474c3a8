// What limits a phase: how much of each part it uses, and which one thing it waits for most.
//
// The phase's time on the GPU that took longest is shared out among the things below by what was measured to
// wait for what; the one with the largest share is said to limit. No share is taken from a name or a setting.
//
// 1. Which of the two went on to the end. What the port that was busiest sends comes from the kernel. Up to
// the
//    last time that this port had nothing to send because the kernel had not made it, the kernel's account
//    says where time went; from then on the port's account does. Where the kernel does not feed the link, the
//    port's account is that of the whole phase if it sent after the kernel's end, else the kernel's is.
// 2. The kernel's account (gpu/idle_account.h), a place for a workgroup like any other. Matrix work is
//    `matrix_units`, or `tile_padding` outside the problem's bounds. Of the time that matrix units stood
//    idle, waits
//    - before the dispatcher can have reached a place are `launch`;
//    - for a workgroup are `too_few_workgroups`, but as far as those that are there queue for what all share,
//    one
//      more would have queued as well, and these waits are theirs;
//    - for stores to leave the CU and to be acknowledged are `store_path`; for what the Tracker does not
//    admit,
//      `tracker`; for a place on the way to memory: what held up the L2 slices (5);
//    - for room at a link, or for data of other GPUs: the port's account (4), its busy time first;
//    - for loads: what a group's loads went through (3).
// 3. Loads come in groups, and the last one of a group decides. It waited for those before it to leave the
// CU, a
//    cycle each, and in the reply port (`cu_port`); for room at the L2 and in it (5); for one of the CU's
//    loads in flight to return; the network and the L2 took their time (`l2_latency`); if a group is likely
//    to have a miss, so did the DRAM read, as an idle DRAM would serve it (`dram_latency`), and beyond that
//    (`dram_bandwidth`). Waits for loads are shared out in these proportions. Waiting for loads in flight is
//    `loads_in_flight`, as far as those loads take their latency; as far as they queue, it is what they queue
//    for.
// 4. A port that is busy is `link_bandwidth`. Idle for the DMA engine: `dma`, but `dram_bandwidth` as far as
// its
//    reads queue. Idle for credits: by where the bytes were that held them: on the wire or their credit on
//    its way back, `link_credits`; at the other end for memory, `dram_bandwidth`; else at a port that others
//    share, `link_bandwidth`. Any other idle time of a port that is waited for is `link_latency`: packets on
//    their way.
// 5. An L2 slice serves in order. Its head was held up by the way to DRAM (`dram_bandwidth`), by MSHRs (`l2`,
// but
//    `dram_bandwidth` as far as DRAM reads queue), or by data on its port (`l2`).
//
// What it does not do: account for what would limit next, and see waits that a neighbouring workgroup covers.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "machine/phase_use.h"
#include "results/results.h"

namespace t3sim {

enum class Limit : std::uint8_t {
  matrix_units,
  tile_padding,
  recorded_times,  // a trace says when its groups end
  launch,
  too_few_workgroups,
  loads_in_flight,
  cu_port,
  l2,
  l2_latency,
  dram_bandwidth,
  dram_latency,
  store_path,
  tracker,
  dma,
  link_bandwidth,
  link_credits,
  link_latency,
};
inline constexpr int kLimits = 17;
std::string_view to_string(Limit limit);

// Ticks, by what they were spent for.
class LimitTicks {
 public:
  void add(Limit limit, double ticks) { of_[static_cast<std::size_t>(limit)] += ticks; }
  double operator[](Limit limit) const { return of_[static_cast<std::size_t>(limit)]; }
  double total() const;
  // The first of those with most.
  Limit largest() const;

 private:
  std::array<double, kLimits> of_{};
};

// Where the phase's time went. Adds up to it.
LimitTicks limit_ticks(const PhaseUse& use);
PhaseLimits phase_limits(const PhaseUse& use);

}  // namespace t3sim
