// What slices find in a GPU's L2, and leave there.
#include <algorithm>

#include "message/engine.h"

namespace t3sim::message {
namespace {

// Instead of what has come, which is in the L2, a pass loads from memory.
std::uint32_t from_memory(std::uint32_t pass) { return (pass & ~2U) | 1U; }

}  // namespace

// Of the pass at hand, over so many bytes.
Picoseconds Engine::time(const Lane& lane, std::uint64_t bytes) const {
  const std::uint32_t pass = step_of(lane).pass();
  Picoseconds alone = endpoint_.time(pass, bytes);
  if (lane.gone) alone = std::max(alone, endpoint_.time(from_memory(pass), bytes));
  const std::uint32_t loads = lane.gone ? from_memory(pass) : pass;
  return lane.loading == 0 ? alone : alone + endpoint_.held_up(loads, bytes, lane.loading);
}

// A piece of a slice. The slice's lines are as old as its first ones: they come one after the other, and are taken so.
void Engine::enter_fifo(Connection& c, std::uint64_t bytes) {
  Traffic& traffic = jobs_[c.job].traffic[c.to_rank];
  if (c.here == 0) c.touched[c.arrived % c.slots] = traffic.touched;
  c.here += bytes;
  traffic.touched += bytes;
}

// Since the slice at hand came, has as much come to the L2 as it holds? A pass that loads from memory waits for it anyway.
bool Engine::has_left(const Lane& lane) const {
  if (lane.in == kNone || step_of(lane).loads) return false;
  const Connection& in = connections_[lane.in];
  const std::uint64_t now = jobs_[lane.job].traffic[lane.gpu].touched;
  return now - in.touched[in.taken % in.slots] > endpoint_.l2_bytes;
}

// FIFOs are in the L2 once, however often their slots are used. What is only loaded needs not be written back.
void Engine::enter_memory(Lane& lane, std::uint64_t bytes) {
  const Step& step = step_of(lane);
  Traffic& traffic = jobs_[lane.job].traffic[lane.gpu];
  const bool new_slot = lane.in != kNone && connections_[lane.in].taken < connections_[lane.in].slots;
  const std::uint64_t stored = (step.stores ? bytes : 0) + (new_slot ? bytes : 0);
  lane.gone = has_left(lane);
  traffic.stored += stored;
  traffic.bytes += stored + (step.loads ? bytes : 0);
  traffic.loading += step.loads || lane.gone;
  const bool full = traffic.bytes > endpoint_.write_backs.l2_bytes && traffic.stored != 0;
  lane.loading = (step.loads || lane.gone) && full ? traffic.loading : 0;
}

void Engine::leave_memory(Lane& lane) {
  const Step& step = step_of(lane);
  const std::uint64_t bytes = jobs_[lane.job].schedule->slice_bytes(lane.share, lane.slice);
  Traffic& traffic = jobs_[lane.job].traffic[lane.gpu];
  traffic.touched += ((step.loads || lane.gone) + step.stores) * bytes;
  traffic.loading -= step.loads || lane.gone;
  lane.loading = 0;
  lane.gone = false;
}

}  // namespace t3sim::message
