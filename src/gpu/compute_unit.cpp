#include "gpu/compute_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "gpu/compute_unit_slots.h"
#include "gpu/kernel_queue.h"

namespace t3sim {

using namespace cu_token;

// Cycles that so many sectors, behind a header, take on a way of this width.
static std::array<std::uint8_t, 5> flits_of(std::uint64_t bytes_per_cycle, std::uint64_t header_bytes = 0) {
  std::array<std::uint8_t, 5> flits{};
  for (std::size_t sectors = 0; sectors < flits.size(); ++sectors)
    flits[sectors] = static_cast<std::uint8_t>((sectors * kSectorBytes + header_bytes + bytes_per_cycle - 1) /
                                               bytes_per_cycle);
  return flits;
}

static double matrix_clock_share(const GpuConfig& config) {
  if (config.matrix_clock_hz == 0) return 1;
  return std::min(1.0, static_cast<double>(config.matrix_clock_hz) / static_cast<double>(config.clock_hz));
}

ComputeUnit::ComputeUnit(const GpuConfig& config, std::uint16_t index, Clock clock, const CuWiring& wiring,
                         std::uint64_t l1_bytes)
    : index_(index),
      holds_loads_(kLoadWaits | kLoadHasPlace | kInFlight |
                   (config.shared_lane ? kStoreWaits | kStoreHasPlace : 0)),
      holds_stores_(kStoreWaits | kStoreHasPlace | (config.shared_lane ? kLoadWaits | kLoadHasPlace : 0)),
      by_sectors_(config.network == OnChipNetwork::sectors),
      loads_in_flight_(static_cast<std::uint32_t>(config.loads_in_flight)),
      noc_latency_(clock.cycles(config.noc_latency_cycles)),
      clock_(clock),
      wiring_(wiring),
      config_(config),
      l1_(static_cast<std::uint32_t>(
              std::max<std::uint64_t>(std::bit_floor(l1_bytes / kLineBytes / config.l1_ways), 1)),
          static_cast<std::uint32_t>(config.l1_ways), 0, true),
      completions_(64),
      matrix_(clock, config.matrix_flops_per_cycle, config.matrix_issue_efficiency,
              matrix_clock_share(config), config.scheduler) {
  matrix_.places().follow(wiring.blocked_ways);
  const std::uint64_t out = config.store_bytes_per_cycle, in = config.noc_bytes_per_cycle;
  reply_flits_ = flits_of(in);
  store_flits_ = flits_of(out != 0 ? out : in);
  remote_store_flits_ = flits_of(out != 0 ? out : in, config.remote_store_header);
}

ComputeUnit::~ComputeUnit() = default;

void ComputeUnit::run(KernelRun& kernel, Tick at) {
  const KernelRun::Setup& setup = kernel.setup();
  const auto free = static_cast<std::size_t>(std::ranges::count(slots_, nullptr, &Slot::kernel));
  const unsigned stages = setup.source->buffers() + setup.source->traits().epilogue;
  if (slots_.size() - free + setup.workgroups_per_cu > kMaxSlots || stages > kMaxStages)
    throw InputError(
        fmt::format("a CU holds at most {} workgroups of {} buffers and pieces of an epilogue; this kernel "
                    "asks for {} of {}",
                    kMaxSlots, kMaxStages, setup.workgroups_per_cu, stages));
  const std::uint64_t between = config_.dispatch == Dispatch::gpu ? config_.cus : 1;  // two on a CU, cycles
  for (unsigned i = 0; i < setup.workgroups_per_cu; ++i) {
    Slot& slot = free_slot();
    slot.kernel = &kernel;
    slot.available_at = slot.check_at = at + clock_.cycles(i * between);
    next_check_ = std::min(next_check_, slot.check_at);
    slot.uses_l1 = setup.uses_l1;
    slot.buffers = setup.source->buffers();
    slot.stages.resize(stages);
    wiring_.scheduler->wake(*this, slot.available_at);
  }
}

// A new place, or one that a kernel has given back.
ComputeUnit::Slot& ComputeUnit::free_slot() {
  for (Slot& slot : slots_)
    if (!slot.kernel) return slot;
  Slot& slot = slots_.emplace_back();
  slot.index = slot_count_++;
  matrix_.places().add_places(1);
  return slot;
}

void ComputeUnit::places_free(Tick now) {
  for (Slot& slot : slots_)
    if (slot.kernel && !slot.active && slot.kernel->has_next()) {
      const Tick at = std::max(clock_.next(now), slot.available_at);
      check(slot, at);
      wiring_.scheduler->wake(*this, at);
    }
}

void ComputeUnit::release(const KernelRun& kernel) {
  for (Slot& slot : slots_)
    if (slot.kernel == &kernel) {
      slot.kernel = nullptr;
      slot.program.reset();
    }
}

KernelRun& ComputeUnit::kernel_of(const Request& store) const {
  return *slots_[store.token >> kSlotShift].kernel;
}

// There is a workgroup for the place, it is its kernel's turn, and the CU has what the workgroup takes.
bool ComputeUnit::may_begin(const Slot& slot, Tick now) const {
  if (now < slot.available_at || !slot.kernel || !slot.kernel->has_next()) return false;
  const KernelRun::Setup& setup = slot.kernel->setup();
  if (!setup.queue) return true;
  const CuShare whole{config_.threads_per_cu, config_.registers_bytes, config_.lds_bytes};
  return setup.queue->turn_of(*slot.kernel, index_) && setup.share.fits(whole, taken_);
}

void ComputeUnit::begin_workgroup(Slot& slot, std::uint32_t workgroup, Tick now) {
  slot.program = slot.kernel->setup().source->program(workgroup, std::move(slot.program));
  slot.workgroup = workgroup;
  slot.started_at = now;
  slot.head = slot.count = slot.held = 0;
  slot.active = true;
  slot.exhausted = slot.waiting_arrival = slot.in_main_loop = false;
  ++active_;
  ++stats_.workgroups;
  if (slot.kernel->setup().queue) taken_ += slot.kernel->setup().share;
}

// Something is due. True if something has changed.
bool ComputeUnit::advance_slots(Tick now) {
  bool changed = false;
  for (Slot& slot : slots_) {
    if (slot.check_at > now) continue;
    slot.check_at = now < slot.available_at ? slot.available_at : kNever;
    while (advance(slot, now)) changed = true;
    find_accesses(slot);
  }
  next_check_ = kNever;
  for (const Slot& slot : slots_) next_check_ = std::min(next_check_, slot.check_at);
  return changed;
}

// What a slot may issue, after a change.
void ComputeUnit::find_accesses(Slot& slot) {
  loading_ -= slot.loads != nullptr;
  storing_ -= slot.stores != nullptr;
  slot.loads = slot.active && slot.has_load() ? &slot.stage(slot.count - 1) : nullptr;
  slot.stores = slot.active && slot.has_store() ? &slot.stage(0) : nullptr;
  loading_ += slot.loads != nullptr;
  storing_ += slot.stores != nullptr;
}

void ComputeUnit::count_returned(Tick now) {
  while (!completions_.empty() && completions_.front() <= now) {
    completions_.pop();
    --in_flight_;
    if ((holds_ & kInFlight) == 0) continue;
    holds_ &= static_cast<Holds>(~kInFlight);
    stats_.wait_in_flight += now - in_flight_full_since_;
  }
}

// One step of a workgroup's life; false when nothing can change at this tick.
bool ComputeUnit::advance(Slot& slot, Tick now) {
  if (!slot.active) {
    if (!may_begin(slot, now)) return false;
    begin_workgroup(slot, slot.kernel->take(now, index_, static_cast<std::uint16_t>(slot.index)), now);
    return true;
  }
  if (Stage& done = slot.stage(0); slot.count > 0 && done.computed() && done.stores_issued()) {
    slot.head = slot.position(1);
    --slot.count;
    slot.give_back(done);
    return true;
  }
  for (unsigned i = 0; i < slot.count; ++i) {
    Stage& stage = slot.stage(i);
    if (stage.computed()) continue;
    if (start_compute(slot, stage, now)) return true;
    break;  // groups compute in order
  }
  if (!slot.exhausted && slot.takes_group() && fetch_group(slot, now)) return true;
  if (!slot.exhausted || slot.count != 0 || slot.unacknowledged != 0) return false;
  if (slot.acknowledged_at > now) {
    check(slot, slot.acknowledged_at);
    return false;
  }
  retire(slot, now);
  return true;
}

void ComputeUnit::store_acknowledged(const Request& request, Tick at) {
  if (by_sectors_) at = enter_cu(request_flits(request.sectors), at);
  Slot& slot = slots_[request.token >> kSlotShift];
  slot.acknowledged_at = std::max(slot.acknowledged_at, clock_.align(at));
  if (--slot.unacknowledged != 0) return;
  check(slot, slot.acknowledged_at);
  wiring_.scheduler->wake(*this, slot.acknowledged_at);
}

// Starts or ends the group's compute; true if something changed.
bool ComputeUnit::start_compute(Slot& slot, Stage& stage, Tick now) {
  using enum Stage::Compute;
  const Group& group = stage.group;
  if (stage.compute == running) return false;  // matrix_work_done() goes on
  if (stage.compute == waiting) {
    if (slot.waiting_arrival && &stage == &slot.stage(slot.count - 1)) return false;
    if (group.fence && &stage != &slot.stage(0))
      return false;  // stores are left; the last one wakes the slot
    if (!stage.loaded(now)) {
      if (stage.loads_issued() && stage.pending == 0) check(slot, stage.ready_at);
      return false;
    }
    if (BodyValues* body = slot.kernel->setup().body) body->compute(slot.workgroup, group, stage.values);
    ++stats_.groups;
    stats_.loading += stage.ready_at - std::min(stage.since, stage.ready_at);
    const double beside_links = wiring_.clock_beside_links ? wiring_.clock_beside_links->share(now) : 1;
    const bool work = matrix_.start(now, slot.index, group.matrix_flops, group.useful_flops, group.cycles,
                                    slot.kernel->setup().issue_efficiency, beside_links);
    stage.compute = work ? running : over;
    if (group.delay_cycles != 0) stage.not_before = now + clock_.cycles(group.delay_cycles);
    return true;
  }
  if (const Tick end = not_before(slot, stage); end > now) {
    check(slot, end);
    wiring_.scheduler->wake(*this, end);
    return false;
  }
  stage.compute = done;
  if (group.stores.empty()) slot.give_back(stage);
  slot.in_main_loop = true;
  if (!group.stores.empty()) slot.kernel->stores_released(now);
  return true;
}

// The matrix unit has ended the work of a slot: that of its oldest group that has not computed.
void ComputeUnit::matrix_work_done(Slot& slot, Tick now) {
  for (unsigned i = 0; i < slot.count; ++i) {
    Stage& stage = slot.stage(i);
    if (stage.compute != Stage::Compute::running) continue;
    stage.compute = Stage::Compute::over;
    check(slot, now);
    return;
  }
}

// The tick before which the group's compute does not end: its delay, and a measured time.
Tick ComputeUnit::not_before(const Slot& slot, const Stage& stage) const {
  if (stage.group.not_before_ps == 0) return stage.not_before;
  const KernelRun::Setup& setup = slot.kernel->setup();
  const bool from_kernel = setup.source->traits().timing == Timing::kernel;
  const Tick measured =
      (from_kernel ? setup.start : slot.started_at) + setup.time->from_ps(stage.group.not_before_ps);
  return std::max(stage.not_before, measured);
}

// Asks the program for the next group; true if something changed.
bool ComputeUnit::fetch_group(Slot& slot, Tick now) {
  Stage& stage = slot.stages[slot.position(slot.count)];
  std::vector<Run>& loads = slot.kernel->fetched_loads();
  stage.group.clear();
  stage.group.loads.swap(loads);
  const bool found = slot.program->next(stage.group);
  stage.group.loads.swap(loads);
  if (!found) {
    slot.exhausted = true;
    return true;
  }
  stage.restart();
  slot.kernel->asked_for(loads);
  make_loads(slot, stage, loads);
  if (slot.kernel->setup().body) stage.group.loads = loads;
  loads.clear();
  stage.ready_at = stage.since = now;
  if (wiring_.pool && !stage.group.stores.empty())
    stage.values.assign(stage.group.stores.size() * stage.group.stores[0].bytes / sizeof(std::int16_t), 0);
  ++slot.count;
  stage.buffered = slot.stages.size() == slot.buffers || stage.loads_left;
  if (stage.buffered) ++slot.held;
  const Group& group = stage.group;
  slot.waiting_arrival =
      group.wait && !slot.kernel->setup().arrivals->complete(group.wait_step, group.wait_tile, *this);
  return true;
}

void ComputeUnit::retire(Slot& slot, Tick now) {
  slot.active = false;
  --active_;
  if (slot.kernel->setup().queue) {
    taken_ -= slot.kernel->setup().share;
    places_free(now);
  }
  slot.kernel->workgroup_retired(slot.workgroup, now);
}

void ComputeUnit::arrived(Tick now) {
  // Which slot waited is found again in wake(): the board says what is complete.
  for (Slot& slot : slots_)
    if (slot.active && slot.waiting_arrival) {
      const Group& group = slot.stage(slot.count - 1).group;
      slot.waiting_arrival =
          !slot.kernel->setup().arrivals->complete(group.wait_step, group.wait_tile, *this);
      check(slot, now);
      find_accesses(slot);
    }
  wiring_.scheduler->wake(*this, clock_.next(now));
}

// Takes the way in for `flits`, from tick `at` on; returns when the last one arrives.
Tick ComputeUnit::enter_cu(std::uint32_t flits, Tick at) {
  const Tick arrival = std::max(at, ingress_free_) + clock_.cycles(flits - 1);
  ingress_free_ = arrival + clock_.period();
  return arrival;
}

void ComputeUnit::reply(const Request& request, Tick out) {
  const Tick arrival =
      enter_cu(reply_flits_[static_cast<std::size_t>(sector_count(request.sectors))], out + noc_latency_);
  stats_.reply_wait += ingress_free_ - out - noc_latency_;
  completions_.push_growing(arrival);

  Slot& slot = slots_[request.token >> kSlotShift];
  Stage& stage = slot.stages[(request.token >> kStageShift) & (kMaxStages - 1)];
  --stage.pending;
  stage.ready_at = std::max(stage.ready_at, arrival);
  if (!request.streaming)  // replies arrive in order
    l1_.put(SectorCache::line_number(request.address), request.sectors, arrival);
  if (wiring_.pool) collect_values(stage, request);
  const bool stage_ready = stage.loads_issued() && stage.pending == 0;
  if (stage_ready) {
    check(slot, stage.ready_at);
    wiring_.scheduler->wake(*this, stage.ready_at);
  }
  if ((holds_ & kInFlight) != 0 && completions_.size() == 1) wiring_.scheduler->wake(*this, arrival);
}

void ComputeUnit::update_cause() {
  IdleCause cause = IdleCause::no_workgroup;
  for (const Slot& slot : slots_) {
    if (!slot.active) continue;
    const IdleCause mine = !slot.has_uncomputed() ? IdleCause::output_write
                           : slot.in_main_loop    ? IdleCause::waiting_loads
                                                  : IdleCause::prologue;
    cause = std::min(cause, mine);
  }
  matrix_.set_cause(cause);
  update_places();
}

PlaceWait ComputeUnit::place_wait(const Slot& slot) const {
  if (!slot.active) return slot.program ? PlaceWait::no_workgroup : PlaceWait::launch;
  if (slot.computes()) return PlaceWait::computing;
  if (slot.has_store() || !slot.has_uncomputed()) {
    if (!waiting(store_lane_)) return PlaceWait::issue;
    return store_lane_.held.slice ? PlaceWait::memory : PlaceWait::link;
  }
  return slot.waiting_arrival ? PlaceWait::arrival : PlaceWait::loads;
}

void ComputeUnit::update_places() {
  for (const Slot& slot : slots_) matrix_.places().set(slot.index, place_wait(slot));
}

void ComputeUnit::finish(Tick last_retired, PlaceWait last_store, Tick end) {
  matrix_.account(std::max(last_retired, last_wake_));
  matrix_.set_cause(IdleCause::output_write);
  matrix_.places().set_all(last_store);
  matrix_.account(end);
}

std::string ComputeUnit::describe_waiting() const {
  std::string text;
  for (const Slot& slot : slots_) {
    if (!slot.active) continue;
    const char* why = slot.waiting_arrival ? "waits for data from the neighbour"
                      : waiting(store_lane_) || waiting(load_lane_)
                          ? "waits for room in an L2 slice or at the link"
                          : "waits for loads or compute";
    text += fmt::format("cu[{}]: workgroup {} {}", index_, slot.workgroup, why);
    if (slot.waiting_arrival) {
      const Group& group = slot.stage(slot.count - 1).group;
      text += fmt::format(" (step {}, tile {})", group.wait_step, group.wait_tile);
    }
    text += '\n';
  }
  return text;
}

}  // namespace t3sim
