// Atomic updates, and what waits for them.
#include <algorithm>

#include "memctrl/channel.h"

namespace t3sim {

// Something older to its line has accesses to come that are not in the DRAM queue.
bool Channel::line_is_changing(const Slot& slot) const {
  if (unsettled_ == 0) return false;
  return std::ranges::any_of(slots_, [&](const Slot& other) {
    return other.busy && other.stage != Stage::queued && other.order < slot.order &&
           other.request.address == slot.request.address;
  });
}

// The first access of a request, often the only one.
void Channel::begin(std::uint16_t index, Tick now) {
  Slot& slot = slots_[index];
  if (is_atomic(slot.request)) {
    slot.stage = Stage::fetching;
    ++unsettled_;
  }
  enter_pieces(index, first_access(slot.request.op), now);
}

void Channel::hold(std::uint16_t index, Tick at) {
  slots_[index].resume_at = at;
  held_.push_back(index);
}

void Channel::fetched(std::uint16_t index, Tick now) {
  Slot& slot = slots_[index];
  if (slot.several) --in_several_pieces_;
  slot.several = false;
  slot.stage = Stage::adding;
  stats_.fetched(slot.request, now);
  hold(index, clock_.align(slot.data_end) + atomic_ticks_);
}

// First come, first served, before what is still in the ports: it would wait for these slots.
bool Channel::resume(Tick now) {
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const std::uint16_t index = held_[i];
    Slot& slot = slots_[index];
    const bool adding = slot.stage == Stage::adding;
    if (slot.resume_at > now || (!adding && line_is_changing(slot))) continue;
    const Op op = adding ? Op::write : first_access(slot.request.op);
    const unsigned lane = 1U << queue_.lane_of(op);
    if ((closed_lanes_ & lane) != 0 || !queue_.has_room(op, bursts_of_[slot.request.sectors & kFullLine])) {
      closed_lanes_ |= lane;
      continue;
    }
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(i));
    slot.stage = Stage::queued;
    --unsettled_;
    if (adding)
      enter_pieces(index, Op::write, now);
    else
      begin(index, now);
    return true;
  }
  return false;
}

// What had room or a free line and was not taken is taken in the next cycle; the rest waits for its time, or
// for a command that makes room.
Tick Channel::next_resume(Tick now) const {
  Tick at = kNever;
  for (const std::uint16_t index : held_) {
    const Tick resume_at = slots_[index].resume_at;
    if (resume_at > now)
      at = std::min(at, resume_at);
    else if (heads_moved_)
      at = now + clock_.period();
  }
  return at;
}

}  // namespace t3sim
