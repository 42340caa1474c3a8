// The way out of a CU: which access leaves next, and what it waits for.
#include <algorithm>

#include "gpu/compute_unit_slots.h"

namespace t3sim {

using namespace cu_token;

namespace {

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

void ComputeUnit::lane_granted(Lane& lane, Tick now) {
  lane.waiting = false;
  lane.granted_place = true;
  stats_.wait_network += now - lane.since;
  if (&lane == &store_lane_) {
    matrix_.account(now);
    update_places();
  } else {
    stats_.wait_to_load += now - lane.since;
  }
  wiring_.scheduler->wake(*this, std::max(clock_.next(now), issue_free_));
}

bool ComputeUnit::can_store(const Slot& slot) const {
  return slot.active && !lane_holds(store_lane_) && slot.has_store();
}

bool ComputeUnit::can_load(const Slot& slot) const {
  return slot.active && !lane_holds(load_lane_) && !waiting_in_flight_ && slot.has_load();
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
  r.token = slot.index << kSlotShift;
  r.traffic = setup.traffic;
  r.source = index_;
  r.workgroup = stage.group.tile;
  r.tracked = stage.route.tracked;
  r.uncached = stage.route.uncached;
  r.remote = stage.route.remote && !run.local;
  r.gpu = stage.route.gpu;
  r.step = stage.route.step;
  access.slice = r.remote ? nullptr : &wiring_.slice_of(r.address);
  if (wiring_.pool) attach_values(slot, stage, run, r.address, r);
  r.workgroup += stage.route.tile_offset;
  r.address += stage.route.array_offset;
  stage.store_offset += bytes;
  if (stage.store_offset == run.bytes) {
    ++stage.store_run;
    stage.store_offset = 0;
  }
  return access;
}

ComputeUnit::Issue ComputeUnit::issue_store(Slot& slot, Stage& stage, Tick now) {
  const Access access = store_access(slot, stage);
  if (access.slice && config_.store_acknowledgement) ++slot.unacknowledged;
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
  r.token = slot.index << kSlotShift |
            static_cast<std::uint32_t>(&stage - slot.stages.data()) << kStageShift |
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
  CreditedInput& target =
      access.slice ? access.slice->input() : wiring_.remote->store_input(access.request.gpu);
  if (target.take(lane)) {
    transmit(access, now);
    return Issue::used;
  }
  lane.held = access;
  lane.waiting = true;
  lane.since = now;
  if (&lane == &store_lane_) {
    matrix_.account(now);
    update_places();
  }
  return Issue::held;
}

void ComputeUnit::transmit(const Access& access, Tick now) {
  const Request& r = access.request;
  const std::uint64_t width =
      config_.store_bytes_per_cycle != 0 ? config_.store_bytes_per_cycle : config_.noc_bytes_per_cycle;
  const std::uint64_t flits = r.op == Op::read ? 1 : (request_bytes(r) + width - 1) / width;
  issue_free_ = now + clock_.cycles(flits);
  const Tick ready = issue_free_ + clock_.cycles(config_.noc_latency_cycles - 1);
  if (access.slice)
    access.slice->push(r, ready);
  else
    wiring_.remote->push_store(r, ready);
}

// Functional mode: the values of one stored line, made by the kernel or summed from what was loaded.
void ComputeUnit::attach_values(const Slot& slot, const Stage& stage, const Run& run, std::uint64_t line,
                                Request& request) {
  const ElementValues* made = slot.kernel->setup().values;
  const std::uint32_t part = made ? slot.kernel->setup().source->part(slot.workgroup) : 0;
  request.payload = wiring_.pool->allocate();
  LineValues& out = (*wiring_.pool)[request.payload];
  const std::size_t base = std::size_t{stage.store_run} * run.bytes / 2;
  for (std::uint32_t i = 0; i < kLineBytes / 2; ++i) {
    if ((request.sectors >> (i * 2 / kSectorBytes) & 1) == 0) continue;
    const std::uint64_t address = line + i * 2;
    out[i] = made ? made->value(address, part) : stage.values[base + (address - run.address) / 2];
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

}  // namespace t3sim
