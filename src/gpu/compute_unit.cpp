#include "gpu/compute_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace t3sim {

// A group in flight: its loads, then its turn on the matrix unit, then its stores.
struct ComputeUnit::Stage {
  Group group;
  std::uint32_t load_run = 0, load_offset = 0;  // next load: run, byte within it
  std::uint32_t pending = 0;                    // loads without a known arrival
  Tick ready_at = 0;                            // when all known arrivals are in
  Tick compute_end = kNever;                    // kNever: not started
  bool computed = false;
  std::uint32_t store_run = 0, store_offset = 0;
  bool routed = false;
  StoreRoute route;
  std::vector<std::int32_t> values;  // functional mode: sums of what was loaded, in store order

  bool loads_issued() const { return load_run == group.loads.size(); }
  bool loaded(Tick now) const { return loads_issued() && pending == 0 && ready_at <= now; }
  bool stores_issued() const { return store_run == group.stores.size(); }

  void restart() {
    load_run = load_offset = pending = store_run = store_offset = 0;
    ready_at = 0;
    compute_end = kNever;
    computed = routed = false;
  }
};

struct ComputeUnit::Slot {
  KernelRun* kernel = nullptr;
  std::unique_ptr<WorkgroupProgram> program;
  std::vector<Stage> stages;  // ring of the kernel's buffers
  unsigned head = 0, count = 0;
  std::uint32_t workgroup = 0;
  unsigned index = 0;
  Tick available_at = 0;  // may take its first workgroup: the dispatcher starts one a cycle, CU by CU
  Tick started_at = 0;    // its workgroup
  Tick check_at = 0;      // nothing but loads and stores can happen before; kNever: until something else does
  bool active = false;
  bool exhausted = false;        // the program has no more groups
  bool waiting_arrival = false;  // the newest group waits for data from a link
  bool in_main_loop = false;     // at least one group has been computed

  unsigned position(unsigned i) const { return (head + i) % static_cast<unsigned>(stages.size()); }
  Stage& stage(unsigned i) { return stages[position(i)]; }
  const Stage& stage(unsigned i) const { return stages[position(i)]; }
  void check(Tick at) { check_at = std::min(check_at, at); }
  bool has_store() const { return count > 0 && stage(0).computed && !stage(0).stores_issued(); }
  bool has_load() const { return count > 0 && !waiting_arrival && !stage(count - 1).loads_issued(); }
  bool has_uncomputed() const { return !exhausted || (count > 0 && !stage(count - 1).computed); }
};

namespace {

// A load's token: slot, stage, run of the group's stores (functional mode), sector within the run.
constexpr unsigned kSlotShift = 24, kStageShift = 20, kRunShift = 8;
// A load's Request::step, which only remote stores use otherwise: whether its line is to be kept in L1.
constexpr std::uint8_t kKept = 0, kStreaming = 1;
constexpr std::uint32_t kMaxSlots = 256, kMaxStages = 16;

// The access of one line that begins `offset` bytes into a run; returns the bytes it covers.
std::uint32_t line_access(const Run& run, std::uint32_t offset, Request& request) {
  const std::uint64_t from = run.address + offset;
  const auto in_line = static_cast<std::uint32_t>(from % kLineBytes);
  const std::uint32_t bytes = std::min(run.bytes - offset, kLineBytes - in_line);
  const unsigned first = in_line / kSectorBytes;
  const unsigned last = (in_line + bytes - 1) / kSectorBytes;
  request.address = from - in_line;
  request.sectors = static_cast<std::uint8_t>(((2U << last) - 1U) & ~((1U << first) - 1U));
  request.wavefront = run.wavefront;
  return bytes;
}

}  // namespace

ComputeUnit::ComputeUnit(const GpuConfig& config, std::uint16_t index, Clock clock, const CuWiring& wiring,
                         std::uint64_t l1_bytes)
    : config_(config),
      index_(index),
      clock_(clock),
      wiring_(wiring),
      l1_(static_cast<std::uint32_t>(std::max<std::uint64_t>(std::bit_floor(l1_bytes / kLineBytes / config.l1_ways), 1)),
          static_cast<std::uint32_t>(config.l1_ways), 0),
      l1_arrival_(l1_.entries()),
      matrix_(clock, config.matrix_flops_per_cycle, config.matrix_issue_efficiency),
      completions_(64) {}

ComputeUnit::~ComputeUnit() = default;

void ComputeUnit::run(KernelRun& kernel, Tick at) {
  const KernelRun::Setup& setup = kernel.setup();
  if (slots_.size() + setup.workgroups_per_cu > kMaxSlots || setup.source->buffers() > kMaxStages)
    throw InputError(fmt::format("a CU holds at most {} workgroups of {} buffers; this kernel asks for {} of {}", kMaxSlots,
                                 kMaxStages, setup.workgroups_per_cu, setup.source->buffers()));
  for (unsigned i = 0; i < setup.workgroups_per_cu; ++i) {
    Slot slot;
    slot.kernel = &kernel;
    slot.index = static_cast<unsigned>(slots_.size());
    slot.available_at = at + clock_.cycles(i * config_.cus);
    slot.stages.resize(setup.source->buffers());
    wiring_.scheduler->wake(*this, slot.available_at);
    slots_.push_back(std::move(slot));
  }
}

void ComputeUnit::begin_workgroup(Slot& slot, std::uint32_t workgroup, Tick now) {
  slot.program = slot.kernel->setup().source->program(workgroup, std::move(slot.program));
  slot.workgroup = workgroup;
  slot.started_at = now;
  slot.head = slot.count = 0;
  slot.active = true;
  slot.exhausted = slot.waiting_arrival = slot.in_main_loop = false;
  ++active_;
  ++stats_.workgroups;
}

void ComputeUnit::wake(Tick now) {
  while (!completions_.empty() && completions_.front() <= now) {
    completions_.pop();
    --in_flight_;
    if (waiting_in_flight_) {
      waiting_in_flight_ = false;
      stats_.wait_in_flight += now - in_flight_full_since_;
    }
  }
  issue(now);
  bool more = false, changed = false;
  for (Slot& slot : slots_) {
    if (slot.check_at <= now) {
      slot.check_at = now < slot.available_at ? slot.available_at : kNever;
      while (advance(slot, now)) changed = true;
    }
    more = more || can_store(slot) || can_load(slot);
  }
  if (changed) {
    matrix_.account(now);
    update_cause();
  }
  if (more || load_lane_.granted_place || store_lane_.granted_place)
    wiring_.scheduler->wake(*this, std::max(clock_.next(now), issue_free_));
}

// One step of a workgroup's life; false when nothing can change at this tick.
bool ComputeUnit::advance(Slot& slot, Tick now) {
  if (!slot.active) {
    if (now < slot.available_at || !slot.kernel->has_next()) return false;
    begin_workgroup(slot, slot.kernel->take(now), now);
    return true;
  }
  if (slot.count > 0 && slot.stage(0).computed && slot.stage(0).stores_issued()) {
    slot.head = slot.position(1);
    --slot.count;
    return true;
  }
  for (unsigned i = 0; i < slot.count; ++i) {
    Stage& stage = slot.stage(i);
    if (stage.computed) continue;
    if (start_compute(slot, stage, now)) return true;
    break;  // groups compute in order
  }
  if (!slot.exhausted && slot.count < slot.stages.size() &&
      (slot.count == 0 || slot.stage(slot.count - 1).loads_issued()) && fetch_group(slot, now))
    return true;
  if (slot.exhausted && slot.count == 0) {
    retire(slot, now);
    return true;
  }
  return false;
}

// Starts or finishes the group's compute; true if something changed.
bool ComputeUnit::start_compute(Slot& slot, Stage& stage, Tick now) {
  if (stage.compute_end == kNever) {
    if (!stage.loaded(now)) {
      if (stage.loads_issued() && stage.pending == 0) slot.check(stage.ready_at);
      return false;
    }
    const Group& group = stage.group;
    stage.compute_end = std::max(matrix_.start(now, group.matrix_flops, group.useful_flops, group.cycles),
                                 not_before(slot, group));
    if (!group.stores.empty()) slot.kernel->stores_released(stage.compute_end);
    if (stage.compute_end > now) wiring_.scheduler->wake(*this, stage.compute_end);
  }
  if (stage.compute_end > now) {
    slot.check(stage.compute_end);
    return false;
  }
  stage.computed = true;
  slot.in_main_loop = true;
  return true;
}

// Kernels with measured times: the tick before which the group's compute does not end.
Tick ComputeUnit::not_before(const Slot& slot, const Group& group) const {
  if (group.not_before_ps == 0) return 0;
  const KernelRun::Setup& setup = slot.kernel->setup();
  const bool from_kernel = setup.source->traits().timing == Timing::kernel;
  return (from_kernel ? setup.start : slot.started_at) + setup.time->from_ps(group.not_before_ps);
}

// Asks the program for the next group; true if something changed.
bool ComputeUnit::fetch_group(Slot& slot, Tick now) {
  Stage& stage = slot.stages[slot.position(slot.count)];
  stage.group.clear();
  if (!slot.program->next(stage.group)) {
    slot.exhausted = true;
    return true;
  }
  stage.restart();
  stage.ready_at = now;
  if (wiring_.pool && !stage.group.stores.empty())
    stage.values.assign(stage.group.stores.size() * stage.group.stores[0].bytes / sizeof(std::int16_t), 0);
  ++slot.count;
  const Group& group = stage.group;
  slot.waiting_arrival =
      group.wait && !slot.kernel->setup().arrivals->complete(group.wait_step, group.wait_tile, *this);
  return true;
}

void ComputeUnit::retire(Slot& slot, Tick now) {
  slot.active = false;
  --active_;
  slot.kernel->workgroup_retired(now);
}

void ComputeUnit::arrived(Tick now) {
  // Which slot waited is found again in wake(): the board says what is complete.
  for (Slot& slot : slots_)
    if (slot.active && slot.waiting_arrival) {
      const Group& group = slot.stage(slot.count - 1).group;
      slot.waiting_arrival =
          !slot.kernel->setup().arrivals->complete(group.wait_step, group.wait_tile, *this);
      slot.check(now);
    }
  wiring_.scheduler->wake(*this, clock_.next(now));
}

void ComputeUnit::lane_granted(Lane& lane, Tick now) {
  lane.waiting = false;
  lane.granted_place = true;
  stats_.wait_network += now - lane.since;
  wiring_.scheduler->wake(*this, std::max(clock_.next(now), issue_free_));
}

bool ComputeUnit::can_store(const Slot& slot) const {
  return slot.active && !store_lane_.waiting && !store_lane_.granted_place && slot.has_store();
}

bool ComputeUnit::can_load(const Slot& slot) const {
  return slot.active && !load_lane_.waiting && !load_lane_.granted_place && !waiting_in_flight_ && slot.has_load();
}

// Sends at most one access: one that has waited for its place, or the next of the slots in turn.
void ComputeUnit::issue(Tick now) {
  if (issue_free_ > now) return;
  for (Lane* lane : {&store_lane_, &load_lane_}) {
    if (!lane->granted_place) continue;
    lane->granted_place = false;
    transmit(lane->held, now);
    return;
  }
  const auto n = static_cast<unsigned>(slots_.size());
  for (unsigned i = 0; i < n; ++i) {
    const unsigned s = turn_ + i < n ? turn_ + i : turn_ + i - n;
    if (issue_from(slots_[s], now) == Issue::used) {
      turn_ = s + 1 < n ? s + 1 : 0;
      return;
    }
  }
}

ComputeUnit::Issue ComputeUnit::issue_from(Slot& slot, Tick now) {
  if (can_store(slot)) {
    const Issue result = issue_store(slot, slot.stage(0), now);
    if (result == Issue::used) return result;
  }
  return can_load(slot) ? issue_load(slot, slot.stage(slot.count - 1), now) : Issue::none;
}

ComputeUnit::Access ComputeUnit::store_access(const Slot& slot, Stage& stage) {
  const KernelRun::Setup& setup = slot.kernel->setup();
  if (!stage.routed) {
    stage.route = setup.router->route(slot.workgroup, stage.group.tile);
    stage.routed = true;
  }
  const Run& run = stage.group.stores[stage.store_run];
  Access access;
  Request& r = access.request;
  const std::uint32_t bytes = line_access(run, stage.store_offset, r);
  r.op = run.update ? Op::update : stage.route.op;
  r.traffic = setup.traffic;
  r.source = index_;
  r.workgroup = stage.group.tile;
  r.tracked = stage.route.tracked;
  r.remote = stage.route.remote;
  r.gpu = stage.route.gpu;
  r.step = stage.route.step;
  access.slice = stage.route.remote ? nullptr : &wiring_.slice_of(r.address);
  if (wiring_.pool) attach_values(slot, stage, run, r.address, r);
  stage.store_offset += bytes;
  if (stage.store_offset == run.bytes) {
    ++stage.store_run;
    stage.store_offset = 0;
  }
  return access;
}

ComputeUnit::Issue ComputeUnit::issue_store(Slot& slot, Stage& stage, Tick now) {
  const Access access = store_access(slot, stage);
  if (stage.stores_issued()) slot.check(now);
  slot.kernel->store_sent();
  ++(access.slice ? stats_.store_lines : stats_.remote_store_lines);
  return send(store_lane_, access, now);
}

ComputeUnit::Issue ComputeUnit::issue_load(Slot& slot, Stage& stage, Tick now) {
  const KernelRun::Setup& setup = slot.kernel->setup();
  const Run& run = stage.group.loads[stage.load_run];
  Access access;
  Request& r = access.request;
  const std::uint32_t bytes = line_access(run, stage.load_offset, r);

  bool hit = false;
  Tick in_l1 = now + clock_.cycles(config_.l1_latency_cycles);  // if it hits: when its data is there
  if (setup.uses_l1 && !run.streaming) {
    const std::uint32_t entry = l1_.find(SectorCache::line_number(r.address));
    hit = entry != SectorCache::kNone && (r.sectors & ~l1_.valid(entry)) == 0;
    if (hit) {
      l1_.touch(entry);
      in_l1 = std::max(in_l1, l1_arrival_[entry]);
    }
  }
  if (!hit && in_flight_ >= config_.loads_in_flight) {
    in_flight_full_since_ = now;
    waiting_in_flight_ = true;
    if (!completions_.empty()) wiring_.scheduler->wake(*this, completions_.front());
    return Issue::held;
  }
  r.op = Op::read;
  r.traffic = setup.traffic;
  r.source = index_;
  r.workgroup = stage.group.tile;
  r.token = slot.index << kSlotShift | static_cast<std::uint32_t>(&stage - slot.stages.data()) << kStageShift |
            (stage.load_offset / kSectorBytes & 0xFF);
  if (wiring_.pool && !stage.group.stores.empty())
    r.token |= static_cast<std::uint32_t>(stage.load_run % stage.group.stores.size() & 0xFFF) << kRunShift;
  r.step = run.streaming ? kStreaming : kKept;
  stage.load_offset += bytes;
  if (stage.load_offset == run.bytes) {
    ++stage.load_run;
    stage.load_offset = 0;
    if (stage.loads_issued()) slot.check(now);
  }
  ++stats_.load_lines;
  stats_.load_sectors += static_cast<std::uint64_t>(sector_count(r.sectors));
  if (hit) {
    stats_.l1_hit_sectors += static_cast<std::uint64_t>(sector_count(r.sectors));
    stage.ready_at = std::max(stage.ready_at, in_l1);
    if (stage.loads_issued() && stage.pending == 0) wiring_.scheduler->wake(*this, stage.ready_at);
    issue_free_ = clock_.next(now);
    return Issue::used;
  }
  access.slice = &wiring_.slice_of(r.address);
  ++in_flight_;
  ++stage.pending;
  return send(load_lane_, access, now);
}

// Sends an access, or holds it until its target has room.
ComputeUnit::Issue ComputeUnit::send(Lane& lane, const Access& access, Tick now) {
  CreditedInput& target = access.slice ? access.slice->input() : wiring_.remote->store_input();
  if (target.take(lane)) {
    transmit(access, now);
    return Issue::used;
  }
  lane.held = access;
  lane.waiting = true;
  lane.since = now;
  return Issue::held;
}

void ComputeUnit::transmit(const Access& access, Tick now) {
  const Request& r = access.request;
  const std::uint64_t flits =
      r.op == Op::read ? 1 : (request_bytes(r) + config_.noc_bytes_per_cycle - 1) / config_.noc_bytes_per_cycle;
  issue_free_ = now + clock_.cycles(flits);
  const Tick ready = issue_free_ + clock_.cycles(config_.noc_latency_cycles - 1);
  if (access.slice)
    access.slice->push(r, ready);
  else
    wiring_.remote->push_store(r, ready);
}

void ComputeUnit::reply(const Request& request, Tick out) {
  const std::uint64_t flits = (request_bytes(request) + config_.noc_bytes_per_cycle - 1) / config_.noc_bytes_per_cycle;
  const Tick arrival =
      std::max(out + clock_.cycles(config_.noc_latency_cycles), ingress_free_) + clock_.cycles(flits - 1);
  ingress_free_ = arrival + clock_.period();
  completions_.push_growing(arrival);

  Slot& slot = slots_[request.token >> kSlotShift];
  Stage& stage = slot.stages[(request.token >> kStageShift) & (kMaxStages - 1)];
  --stage.pending;
  stage.ready_at = std::max(stage.ready_at, arrival);
  if (slot.kernel->setup().uses_l1 && request.step == kKept) {
    const std::uint32_t line = SectorCache::line_number(request.address);
    std::uint32_t entry = l1_.find(line);
    if (entry == SectorCache::kNone) l1_.replace(entry = l1_.victim(line), line);
    l1_.add_valid(entry, request.sectors);
    l1_arrival_[entry] = arrival;  // replies arrive in order
  }
  if (wiring_.pool) collect_values(stage, request);
  const bool stage_ready = stage.loads_issued() && stage.pending == 0;
  if (stage_ready) {
    slot.check(stage.ready_at);
    wiring_.scheduler->wake(*this, stage.ready_at);
  }
  if (waiting_in_flight_ && completions_.size() == 1) wiring_.scheduler->wake(*this, arrival);
}

// Functional mode: the values of one stored line, made by the kernel or summed from what was loaded.
void ComputeUnit::attach_values(const Slot& slot, const Stage& stage, const Run& run, std::uint64_t line,
                                Request& request) {
  const ElementValues* made = slot.kernel->setup().values;
  request.payload = wiring_.pool->allocate();
  LineValues& out = (*wiring_.pool)[request.payload];
  const std::size_t base = std::size_t{stage.store_run} * run.bytes / 2;
  for (std::uint32_t i = 0; i < kLineBytes / 2; ++i) {
    if ((request.sectors >> (i * 2 / kSectorBytes) & 1) == 0) continue;
    const std::uint64_t address = line + i * 2;
    out[i] = made ? made->value(address) : stage.values[base + (address - run.address) / 2];
  }
}

void ComputeUnit::collect_values(Stage& stage, const Request& request) {
  if (request.payload == kNoPayload) return;
  if (!stage.group.stores.empty()) {
    const LineValues& in = (*wiring_.pool)[request.payload];
    const std::uint32_t store = (request.token >> kRunShift) & 0xFFF;
    const std::uint32_t offset = (request.token & 0xFF) * kSectorBytes;
    const std::uint32_t first = static_cast<std::uint32_t>(__builtin_ctz(request.sectors)) * kSectorBytes;
    const std::uint32_t bytes = request_bytes(request);
    const std::size_t base = (std::size_t{store} * stage.group.stores[store].bytes + offset) / 2;
    for (std::uint32_t i = 0; i < bytes / 2; ++i) stage.values[base + i] += in[first / 2 + i];
  }
  wiring_.pool->release(request.payload);
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
}

void ComputeUnit::finish(Tick last_retired, Tick end) {
  matrix_.account(last_retired);
  matrix_.set_cause(IdleCause::output_write);
  matrix_.account(end);
}

std::string ComputeUnit::describe_waiting() const {
  std::string text;
  for (const Slot& slot : slots_) {
    if (!slot.active) continue;
    const char* why = slot.waiting_arrival ? "waits for data from the neighbour"
                      : store_lane_.waiting || load_lane_.waiting ? "waits for room in an L2 slice or at the link"
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
