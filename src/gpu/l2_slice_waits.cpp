// What an L2 slice waits for, when nothing moves any more.
#include <fmt/format.h>

#include "gpu/l2_slice.h"

namespace t3sim {

std::string L2Slice::name() const { return fmt::format("{}[{}]", cache_name_, index_); }

std::string L2Slice::describe_waiting() const {
  if (idle()) return {};
  return fmt::format("{}: {} requests queued, {} misses open{}{}", name(), input_.size(),
                     mshrs_.size() - free_mshrs_.size(),
                     held_by_ == Outcome::wait_channel ? ", head waits for the queue to DRAM" : "",
                     held_by_ == Outcome::wait_fill      ? ", head waits for a fill"
                     : held_by_ == Outcome::wait_partner ? ", head waits for the line's home"
                                                         : "");
}

void L2Slice::report_waits(GpuWaits& waits) const {
  const std::size_t misses = mshrs_.size() - free_mshrs_.size();
  if (misses != far_mshrs_)
    waits.add(name(), channel_.name(), fmt::format("the data of {} misses", misses - far_mshrs_));
  if (far_mshrs_ != 0) waits.add(name(), home_->name(), fmt::format("the data of {} misses", far_mshrs_));
  if (held_by_ == Outcome::wait_partner) waits.add(name(), home_->name(), "room in its queue for partners");
  if (held_by_ == Outcome::wait_channel || flushing_)
    waits.add(name(), channel_.name(), fmt::format("room in its port {}", port_));
  if (!input_.empty() && held_by_ == Outcome::served)
    waits.dead_end(name(), fmt::format("has {} requests and serves none (a lost wake-up)", input_.size()));
  if (input_.empty() && places_.waiting() != 0)
    waits.dead_end(name(),
                   fmt::format("has an empty input queue, but all its {} places are taken: none is ever "
                               "granted again",
                               places_.used()));
}

}  // namespace t3sim
