// Near-memory op-and-store (section 4.3): an update is one column command that reads, adds and writes back at
// the bank, atomically. It costs what a write costs, and CCDWL instead of CCDL before the next column command
// of its bank group (section 5.1.1); nothing else.
#pragma once

#include <algorithm>
#include <cstdint>

namespace t3sim {

// The most updates (bursts) a channel can do in a memory cycle: every bank group takes one each `ccd_update`
// cycles, and the channel one each `ccd_s` or the time of a burst on the data bus, whichever is longer.
constexpr double max_updates_per_cycle(std::uint32_t bank_groups, std::uint32_t ccd_update,
                                       std::uint32_t ccd_s, std::uint32_t burst_cycles) {
  const double by_groups = static_cast<double>(bank_groups) / std::max(ccd_update, 1U);
  const double by_channel = 1.0 / std::max({ccd_s, burst_cycles, 1U});
  return std::min(by_groups, by_channel);
}

}  // namespace t3sim
