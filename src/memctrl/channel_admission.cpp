// From the ports into the DRAM queue.
#include <bit>

#include "memctrl/channel.h"

namespace t3sim {

// A bit for each port whose head can be seen. Which these are is hard to foresee: no branch depends on it here.
std::uint64_t Channel::visible_heads(Tick now) const {
  std::uint64_t visible = 0;
  for (std::size_t p = 0; p < ports_.size(); ++p) visible |= std::uint64_t{ports_[p].head_visible(now)} << p;
  return visible;
}

bool Channel::admit(Tick now) {
  const std::uint64_t visible = visible_heads(now);
  const std::uint64_t of_communication = std::uint64_t{1} << compute_ports_;
  const bool compute_waits = (visible & (of_communication - 1)) != 0 || (retry_parked_ && !parked_.empty());
  const ArbitrationView view{now, compute_waits, (visible & of_communication) != 0, queue_.occupancy()};
  if (!view.compute_waits && !view.communication_waits) return false;
  using First = ArbitrationChoice::First;
  const ArbitrationChoice choice = policy_->choose(view);
  if (choice.first == First::nobody) return false;
  const Stream first = choice.first == First::compute ? Stream::compute : Stream::communication;
  const Stream other = first == Stream::compute ? Stream::communication : Stream::compute;
  return admit_from(first, visible, now) || (choice.then_other && admit_from(other, visible, now));
}

bool Channel::admit_from(Stream stream, std::uint64_t visible, Tick now) {
  if (stream == Stream::communication)
    return (visible >> compute_ports_ & 1) != 0 && admit_port(compute_ports_, now);
  if (retry_parked_ && admit_parked(now)) return true;
  const std::uint64_t of_compute = visible & ((std::uint64_t{1} << compute_ports_) - 1);
  const auto from_turn = [&](unsigned port) { return port - (port < compute_ports_ ? 0 : compute_ports_); };
  // By their distance from the port whose turn it is.
  for (std::uint64_t waiting = of_compute >> turn_ | of_compute << (compute_ports_ - turn_); waiting != 0;
       waiting &= waiting - 1) {
    const unsigned distance = static_cast<unsigned>(std::countr_zero(waiting));
    if (distance >= compute_ports_) return false;
    const unsigned port = from_turn(turn_ + distance);
    if (!admit_port(port, now)) continue;
    turn_ = from_turn(port + 1);
    return true;
  }
  return false;
}

// Room in the DRAM queue? Whoever comes later in this cycle's order may not slip past one that finds none: a
// line would starve behind single bursts.
bool Channel::fits(Op op, unsigned bursts) {
  const Op access = first_access(op);
  const unsigned lane = 1U << queue_.lane_of(access);
  if ((closed_lanes_ & lane) == 0 && queue_.has_room(access, bursts) && !free_slots_.empty()) return true;
  closed_lanes_ |= lane;
  return false;
}

bool Channel::line_is_parked(std::uint64_t address, std::size_t before) const {
  for (std::size_t i = 0; i < before; ++i)
    if (parked_[i].request.address == address) return true;
  return false;
}

// Tracked stores wait for the Tracker; anything else of the compute stream goes behind a parked store to its
// line.
bool Channel::must_park(const Request& request) {
  if (request.stream != Stream::compute || request.remote) return false;
  if (line_is_parked(request.address, parked_.size())) return true;
  return request.tracked && !client_.may_enqueue(request);
}

void Channel::drop_head(unsigned port, Tick now) {
  Port& from = ports_[port];
  const auto stream = static_cast<int>(from.head().request.stream);
  stats_.head_wait_ticks[stream] += now - from.head_ready();
  from.pop(now);
  if (from.take_refusal()) client_.port_free(index_, port, now);
}

// A free slot for a request that enters now.
inline std::uint16_t Channel::fill_slot(const PortEntry& entry, Tick now) {
  const std::uint16_t index = free_slots_.back();
  free_slots_.pop_back();
  slots_[index] = {
      .request = entry.request, .ready = entry.ready, .entered = now, .order = next_order_++, .busy = true};
  return index;
}

inline void Channel::enter(std::uint16_t index, Tick now) {
  Slot& slot = slots_[index];
  const Stream stream = slot.request.stream;
  if (line_is_changing(slot)) {
    slot.stage = Stage::held;
    ++unsettled_;
    hold(index, now);
  } else {
    begin(index, now);
  }
  ++stats_.requests[static_cast<int>(stream)];
  stats_.port_wait_ticks[static_cast<int>(stream)] += now - slot.ready;
  stats_.max_occupancy = std::max<std::uint64_t>(stats_.max_occupancy, queue_.occupancy());
  policy_->entered(stream, now);
  client_.enqueued(slot.request, now);
}

// Of a head that can be seen.
bool Channel::admit_port(unsigned port, Tick now) {
  const Port& from = ports_[port];
  if (!fits(from.head_op(), from.head_bursts())) return false;
  const Request& request = from.head().request;
  if (!must_park(request)) {
    const std::uint16_t slot = fill_slot(from.head(), now);
    drop_head(port, now);
    enter(slot, now);
    return true;
  }
  if (parked_.size() >= parked_capacity_) {
    block(ports_[port], now);
    return false;
  }
  parked_.push_back(from.head());
  drop_head(port, now);
  heads_moved_ = true;
  ++stats_.parked;
  stats_.max_parked = std::max<std::uint64_t>(stats_.max_parked, parked_.size());
  return false;
}

void Channel::block(Port& port, Tick now) {
  port.block();
  if (blocked_) blocked_->change(now, 1);
}

void Channel::unblock_ports(Tick now) {
  heads_at_ = std::min(heads_at_, now);
  for (Port& port : ports_) {
    if (!port.blocked()) continue;
    port.unblock();
    if (blocked_) blocked_->change(now, -1);
  }
}

// Oldest first; the Tracker may have room for a younger one only.
bool Channel::admit_parked(Tick now) {
  for (std::size_t i = 0; i < parked_.size(); ++i) {
    const Request& request = parked_[i].request;
    if (line_is_parked(request.address, i)) continue;
    if (!fits(request.op, parked_[i].bursts)) return false;  // keeps retry_parked_: there will be room
    if (request.tracked && !client_.may_enqueue(request)) continue;
    const std::uint16_t slot = fill_slot(parked_[i], now);
    parked_.erase(parked_.begin() + static_cast<std::ptrdiff_t>(i));
    unblock_ports(now);  // there is room in the side queue
    enter(slot, now);
    return true;
  }
  retry_parked_ = false;
  return false;
}

void Channel::enter_pieces(std::uint16_t index, Op op, Tick now) {
  Slot& slot = slots_[index];
  const Request& request = slot.request;
  const std::uint64_t line = request.address & ~std::uint64_t{kLineBytes - 1};
  const std::uint8_t bursts = burst_mask_of_[request.sectors & kFullLine];
  if (!map_.splits_lines()) {
    slot.pieces = 1;
    queue_.enter(index, op, request.stream, map_.place(line), bursts, now);
    return;
  }
  slot.pieces = bursts_of_[request.sectors & kFullLine];
  slot.several = slot.pieces > 1;
  if (slot.several) ++in_several_pieces_;
  for (unsigned rest = bursts; rest != 0; rest &= rest - 1) {
    const auto burst = static_cast<unsigned>(std::countr_zero(rest));
    queue_.enter(index, op, request.stream, map_.place(line + burst * burst_bytes_), 1, now);
  }
}

// The next cycle in which a request could enter, unless a command makes room before.
Tick Channel::next_admission(Tick now) {
  const Tick soon = now + clock_.period();
  const bool retry = retry_parked_ && !parked_.empty();
  Tick at = kNever;
  bool waiting = false;
  for (const Port& port : ports_) {  // without a branch on what is found
    const Tick ready = port.visible_at();
    waiting |= ready <= now;
    at = std::min(at, ready > now ? ready : kNever);
  }
  heads_at_ = waiting || retry ? now : at;
  if (retry && heads_moved_) return soon;
  if (!waiting) return std::max(at, soon);
  if (heads_moved_ || queue_.occupancy() == 0) return soon;
  // The policy may have said no, to be asked again at a time of its own.
  if (policy_->next_change() > now) at = std::min(at, policy_->next_change());
  return std::max(at, soon);
}

}  // namespace t3sim
