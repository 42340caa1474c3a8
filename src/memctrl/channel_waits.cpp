// What a memory controller waits for, when nothing moves any more, and how much has moved.
#include <fmt/format.h>

#include "memctrl/channel.h"

namespace t3sim {

std::string Channel::name() const { return fmt::format("channel {}", index_); }

std::uint64_t Channel::moves() const {
  std::uint64_t sum = stats_.requests[0] + stats_.requests[1] + stats_.parked;
  for (const auto& of_traffic : stats_.bytes)
    for (std::uint64_t bytes : of_traffic) sum += bytes;
  return sum;
}

void Channel::report_waits(GpuWaits& waits) const {
  if (idle()) return;
  if (!parked_.empty()) {
    const Request& first = parked_.front().request;
    waits.add(name(), fmt::format("tracker set {}", first.tile & 0xFF),
              fmt::format("an entry for tile {} wavefront {}, as do {} stores behind it", first.tile,
                          first.wavefront, parked_.size() - 1));
    return;  // ports are blocked for the same reason
  }
  waits.dead_end(name(),
                 fmt::format("has {} bursts in its DRAM queue and requests in its ports, and issues none "
                             "(a lost wake-up)",
                             queue_.occupancy()));
}

std::string Channel::describe_waiting() const {
  std::string text = fmt::format("{}: DRAM queue {} bursts ({} of communication)", name(), queue_.occupancy(),
                                 queue_.occupancy(Stream::communication));
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    if (ports_[p].empty()) continue;
    const Request& head = ports_[p].head().request;
    text += fmt::format("; {} port {}: {} requests, head {:#x}{}",
                        p == compute_ports_ ? "communication" : "compute", p, ports_[p].requests(),
                        head.address, ports_[p].blocked() ? " waits for the Tracker, side queue full" : "");
  }
  if (!held_.empty()) text += fmt::format("; {} requests wait for an atomic update", held_.size());
  if (!parked_.empty())
    text += fmt::format("; {} tracked stores wait for the Tracker, first {:#x} of workgroup {}",
                        parked_.size(), parked_.front().request.address, parked_.front().request.tile);
  return text;
}

}  // namespace t3sim
