// What limits a phase: how much of each part it uses, and which one thing it waits for most.
//
// The phase's time on the GPU that took longest is shared out among the things below by what was measured to
// wait for what; the one with the largest share is said to limit. No share is taken from a name or a setting.
//
// 1. Kernel or link. Where the kernel makes what the busiest port sends, the kernel's account says where time
//    went up to the last time that this port had nothing to send for want of the kernel; from then on the
//    port's account does. Where it does not, the port's account is that of the whole phase if it sent after the
//    kernel's end, else the kernel's is.
// 2. The kernel's account (gpu/idle_account.h), all places for workgroups alike. Matrix work is `matrix_units`,
//    or `tile_padding` outside the problem's bounds. Of the time that matrix units stood idle, waits
//    - before the dispatcher can have reached a place are `launch`;
//    - for a workgroup are `too_few_workgroups`. But as far as those that are there queue for what all share, one
//      more would have queued as well, and the time goes where theirs does;
//    - for stores to leave the CU and to be acknowledged are `store_path`; for what the Tracker does not admit,
//      `tracker`; for a place on the way to memory, what held up the L2 slices (5);
//    - for room at a link or for data of other GPUs are what the port was at while it was busy or held up (4),
//      and beyond that `link_latency`;
//    - for loads are what a group's loads went through (3).
// 3. Loads come in groups, and the last one of a group decides. It waited for those before it to leave the CU,
//    a cycle each, and in the reply port (`cu_port`); for room at the L2 and in it (5); for one of the CU's
//    loads in flight to return. The network and the L2 took their time (`l2_latency`). If a group is likely to
//    have a miss, so did a read of an idle DRAM (`dram_latency`), and what it took beyond that is
//    `dram_bandwidth`. Waits for loads are shared out in these proportions. Waiting for loads in flight is
//    `loads_in_flight` as far as those loads take their latency; as far as they queue, what they queue for.
// 4. A busy port is `link_bandwidth`. Idle for the DMA engine it is `dma`, but `dram_bandwidth` as far as the
//    engine's reads queue; for puts that a card has not started, `network_card`. Idle for credits it is, by where the bytes were that held them: on the wire, or their
//    credit on its way back, `link_credits`; at the other end for memory, `dram_bandwidth`; else at a port that
//    others share, `link_bandwidth`. Otherwise packets are on their way: `link_latency`.
// 5. An L2 slice serves in order. Its head was held up by the way to DRAM (`dram_bandwidth`), by MSHRs (`l2`, but
//    `dram_bandwidth` as far as DRAM reads queue), or by data on its port (`l2`).
//
// Not seen: what would limit next, and waits that a neighbouring workgroup covers.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/number.h"
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
  network_card,
  link_bandwidth,
  link_credits,
  link_latency,
};
inline constexpr int kLimits = 18;
std::string_view to_string(Limit limit);

// Ticks, by what they were spent for.
class LimitTicks {
 public:
  void add(Limit limit, double ticks) { of_[ordinal(limit)] += ticks; }
  double operator[](Limit limit) const { return of_[ordinal(limit)]; }
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
