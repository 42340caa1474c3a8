#include "memctrl/channel.h"

#include <fmt/format.h>

#include <bit>
#include <cassert>

namespace t3sim {

Channel::Channel(const MemoryConfig& config, unsigned index, const ChannelWiring& wiring)
    : compute_ports_(wiring.compute_ports),
      clock_(wiring.clock),
      scheduler_(wiring.scheduler),
      policy_(make_arbitration(config.arbitration, clock_.period())),
      ports_(compute_ports_ + 1, Port(config.port_bursts)),
      stats_(wiring.series_interval),
      queue_(config, clock_.period()),
      client_(wiring.client),
      map_(wiring.map),
      index_(index),
      burst_bytes_(static_cast<std::uint32_t>(config.burst_bytes)),
      burst_cycles_(config.timing.burst),
      parked_capacity_(config.parked_requests),
      atomic_(config.reduction == ReductionSubstrate::atomic),
      atomic_ticks_(config.atomic_cycles * clock_.period()) {
  const unsigned sectors_per_burst = burst_bytes_ / kSectorBytes;
  for (unsigned mask = 0; mask < 16; ++mask) {
    burst_mask_of_[mask] = 0;
    for (unsigned sector = 0; sector < 4; ++sector)
      if ((mask >> sector & 1) != 0)
        burst_mask_of_[mask] =
            static_cast<std::uint8_t>(burst_mask_of_[mask] | 1U << (sector / sectors_per_burst));
    bursts_of_[mask] = static_cast<std::uint8_t>(std::popcount(burst_mask_of_[mask]));
  }
  const unsigned slots = config.queue.kind == QueueKind::split
                             ? config.queue.read_bursts + config.queue.write_bursts
                             : config.queue.shared_bursts;
  slots_.resize(slots);
  for (unsigned i = slots; i-- > 0;) free_slots_.push_back(static_cast<std::uint16_t>(i));
}

Request& Channel::push(unsigned port, const Request& request, std::uint8_t sectors, Tick ready) {
  assert(map_.channel(request.address) == index_ && sectors != 0);
  assert((port == compute_ports_) == (request.stream == Stream::communication));
  // What is ready already, as most of it is, is seen at the next edge.
  const Tick now = scheduler_.now(), next = clock_.next(now);
  const Tick edge = ready <= now ? next : std::max(clock_.align(ready), next);
  const bool becomes_head = ports_[port].empty();
  Request& pushed = ports_[port].push(request, sectors, bursts_of_[sectors & kFullLine], edge);
  if (becomes_head) {
    heads_at_ = std::min(heads_at_, edge);
    wake_at(edge);
  }
  return pushed;
}

void Channel::wake_at(Tick at) {
  if (waking_ || at >= due_) return;  // the end of wake() looks at everything anyway
  due_ = at;
  scheduler_.wake(*this, at);
}

void Channel::retry_parked() {
  retry_parked_ = true;
  unblock_ports(scheduler_.now());
  wake_at(clock_.next(scheduler_.now()));
}

void Channel::account(Tick now) {
  stats_.occupied(queue_.occupancy(Stream::compute), queue_.occupancy(Stream::communication),
                  accounted_until_, now);
  accounted_until_ = now;
}

void Channel::kernel_started() {
  account(scheduler_.now());
  kernel_start_ = accounted_until_;
  kernel_start_occupancy_ = stats_.occupancy_ticks[0];
  policy_->kernel_started();
}

void Channel::first_stage_done() {
  account(scheduler_.now());
  const auto span = static_cast<double>(accounted_until_ - kernel_start_);
  const auto sum = static_cast<double>(stats_.occupancy_ticks[0] - kernel_start_occupancy_);
  policy_->first_stage_done(span > 0 ? sum / span : 0);
  wake_at(clock_.next(scheduler_.now()));
}

void Channel::kernel_ended() {
  policy_->kernel_ended();
  wake_at(clock_.next(scheduler_.now()));
}

void Channel::wake(Tick now) {
  if (now < due_) return;
  waking_ = true;
  account(now);
  queue_.catch_up(now);
  if (queue_.occupancy() != 0) {
    const DramQueue::Finished finished = queue_.issue(now);
    if (finished.any) finish_piece(finished, now);
  }
  heads_moved_ = false;
  closed_lanes_ = 0;
  if ((!held_.empty() && resume(now)) || (heads_at_ <= now && admit(now))) heads_moved_ = true;
  due_ = queue_.next(now);
  due_ = std::min(due_, heads_moved_ || heads_at_ <= now ? next_admission(now) : heads_at_);
  if (!held_.empty()) due_ = std::min(due_, next_resume(now));
  waking_ = false;
  if (due_ != kNever) scheduler_.wake(*this, due_);
}

void Channel::finish_piece(const DramQueue::Finished& finished, Tick now) {
  Slot& slot = slots_[finished.slot];
  slot.data_end = std::max(slot.data_end, now + queue_.read_to_data_end());
  if (--slot.pieces != 0) return;
  if (slot.stage == Stage::fetching) return fetched(finished.slot, now);
  if (in_several_pieces_ == 0)
    complete(finished.slot, now);
  else
    complete_in_line_order(now);
}

void Channel::complete(std::uint16_t index, Tick now) {
  Slot& slot = slots_[index];
  slot.busy = false;
  free_slots_.push_back(index);
  if (slot.several) --in_several_pieces_;
  Request request = slot.request;  // the slot may be taken again
  stats_.queue_wait_ticks[static_cast<int>(request.stream)] += now - slot.entered;
  stats_.performed(request, now);
  client_.performed(request, now);
  if (request.op != Op::read) return;
  const Tick data_end = std::max(slot.data_end, now);
  stats_.read_latency[static_cast<std::size_t>(request.stream)].add(
      clock_.whole_cycles(data_end - slot.ready));
  client_.read_done(request, data_end);
}

bool Channel::older_in_line(const Slot& slot) const {
  for (const Slot& other : slots_)
    if (other.busy && other.order < slot.order && other.request.address == slot.request.address &&
        (other.request.sectors & slot.request.sectors) != 0)
      return true;
  return false;
}

// Where the bursts of a line lie in several banks, a request may be through before an older one to the same
// line is. It completes after it all the same, so that the memory's values change in one order.
void Channel::complete_in_line_order(Tick now) {
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const Slot& slot = slots_[i];
      if (!slot.busy || slot.stage != Stage::queued || slot.pieces != 0 || older_in_line(slot)) continue;
      complete(static_cast<std::uint16_t>(i), now);
      progress = true;
    }
  }
}

bool Channel::idle() const {
  if (queue_.occupancy() != 0 || !parked_.empty() || free_slots_.size() != slots_.size()) return false;
  for (const Port& port : ports_)
    if (!port.empty()) return false;
  return true;
}

void Channel::settle(Tick end) {
  account(std::max(end, accounted_until_));
  stats_.settle();
  queue_.catch_up(end);
}

void Channel::report(StatsSink& sink, std::string_view component, Tick end) {
  settle(end);
  stats_.report(sink, component, {queue_.stats(), end, clock_.period(), burst_cycles_});
}

}  // namespace t3sim
