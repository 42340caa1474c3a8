// What a CU waits for, when nothing moves any more.
#include <fmt/format.h>

#include "gpu/compute_unit_slots.h"

namespace t3sim {

std::string ComputeUnit::name() const { return fmt::format("cu[{}]", index_); }

std::string ComputeUnit::arrival_name(std::uint32_t step, std::uint32_t tile) {
  return fmt::format("arrival {} of tile {}", step, tile);
}

std::string ComputeUnit::target_name(const Access& access) const {
  return access.slice ? access.slice->name() : wiring_.remote->lane_name(access.request.gpu);
}

bool ComputeUnit::computes(Tick now) const {
  if (matrix_.busy() && matrix_.next_end(now) > now) return true;
  for (const Slot& slot : slots_)
    for (unsigned i = 0; slot.active && i < slot.count; ++i) {
      const Stage& stage = slot.stage(i);
      if (stage.compute == Stage::Compute::over && not_before(slot, stage) > now) return true;
    }
  return false;
}

std::uint32_t ComputeUnit::report_waits(GpuWaits& waits, ArrivalWaits& arrivals) const {
  for (const Lane* lane : {&load_lane_, &store_lane_})
    if (waiting(*lane))
      waits.add(name(), target_name(lane->held),
                fmt::format("a place in its queue for a {} of tile {}",
                            lane == &load_lane_ ? "load" : "store", lane->held.request.tile));
  std::uint32_t loads = 0;
  for (const Slot& slot : slots_) {
    if (!slot.active) continue;
    std::uint32_t pending = 0;
    for (unsigned i = 0; i < slot.count; ++i) pending += slot.stage(i).pending;
    loads += pending;
    if (slot.waiting_arrival) {
      const Group& group = slot.stage(slot.count - 1).group;
      arrivals.emplace_back(group.wait_step, group.wait_tile);
      waits.add(name(), arrival_name(group.wait_step, group.wait_tile),
                fmt::format("data that its workgroup {} needs", slot.workgroup));
    }
    if (slot.unacknowledged != 0)
      waits.add(name(), "l2", fmt::format("acknowledgements of {} stores", slot.unacknowledged));
    const bool held_up = slot.waiting_arrival || pending != 0 || slot.unacknowledged != 0 ||
                         (slot.has_store() && waiting(store_lane_)) ||
                         (slot.has_load() && (holds_ & (kLoadWaits | kInFlight)) != 0);
    if (!held_up)
      waits.dead_end(
          name(),
          fmt::format("could go on with workgroup {}, yet it is not awake (a lost wake-up)", slot.workgroup));
  }
  loads -= holds(load_lane_) && loads != 0;  // one has not left yet
  if (loads != 0) waits.add(name(), "l2", fmt::format("replies to {} loads", loads));
  return loads;
}

}  // namespace t3sim
