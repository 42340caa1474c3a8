// The way out of a CU: which access leaves next, and what it waits for.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "gpu/compute_unit_slots.h"

namespace t3sim {

using namespace cu_token;

namespace {

constexpr int kLoadsAhead = 6;  // over a line of the host's caches

// The access of the line at `address`, of a run of which so many bytes are left.
struct LineAccess {
  LineAccess(std::uint64_t address, std::uint32_t left) {
    const auto in_line = static_cast<std::uint32_t>(address % kLineBytes);
    bytes = std::min(left, kLineBytes - in_line);
    const unsigned first = in_line / kSectorBytes;
    const unsigned last = (in_line + bytes - 1) / kSectorBytes;
    sectors = static_cast<std::uint8_t>((2U << last) - (1U << first));
  }
  std::uint32_t bytes;  // that it covers
  std::uint8_t sectors;
};

}  // namespace

void ComputeUnit::wake(Tick now) {
  last_wake_ = now;
  if ((holds_ & kInFlight) != 0) count_returned(now);
  matrix_.finish(now, [&](unsigned owner) { matrix_work_done(slots_[owner], now); });
  issue(now);
  if (next_check_ <= now && advance_slots(now)) {
    matrix_.account(now);
    update_cause();
    if (matrix_.busy()) wiring_.scheduler->wake(*this, matrix_.next_end(now));
  }
  if (has_access()) wiring_.scheduler->wake(*this, next_issue(now));
}

// After `now`. Where the port is taken for a cycle or more, that is all there is to know: no division.
Tick ComputeUnit::next_issue(Tick now) const {
  return issue_free_ >= now + clock_.period() ? issue_free_ : std::max(clock_.next(now), issue_free_);
}

void ComputeUnit::lane_granted(Lane& lane, Tick now) {
  holds_ = static_cast<Holds>((holds_ & ~lane.waits) | lane.has_place);
  stats_.wait_network += now - lane.since;
  if (&lane == &store_lane_) {
    matrix_.account(now);
    update_places();
  } else {
    stats_.wait_to_load += now - lane.since;
  }
  wiring_.scheduler->wake(*this, std::max(clock_.next(now), issue_free_));
}

// Sends at most one access: one that has waited for its place, or the next of the slots in turn.
[[gnu::always_inline]] inline void ComputeUnit::issue(Tick now) {
  if (issue_free_ > now) return;
  if ((holds_ & (kLoadHasPlace | kStoreHasPlace)) != 0) return send_held(now);
  unsigned s = turn_;
  for (unsigned i = 0; i < slot_count_; ++i, s = after(s))
    if (issue_from(slots_[s], now) == Issue::used) {
      turn_ = after(s);
      return;
    }
}

// What has been granted its place.
void ComputeUnit::send_held(Tick now) {
  if ((holds_ & kStoreHasPlace) == 0) return transmit_held(load_lane_, now);
  // At a full link every store waits: were it still its turn, the CU's other workgroups would never have one.
  if (!store_lane_.held.slice && turn_ == store_lane_.slot) turn_ = after(turn_);
  transmit_held(store_lane_, now);
}

void ComputeUnit::transmit_held(Lane& lane, Tick now) {
  holds_ &= static_cast<Holds>(~lane.has_place);
  transmit(lane.held, now);
}

[[gnu::always_inline]] inline ComputeUnit::Issue ComputeUnit::issue_from(Slot& slot, Tick now) {
  const bool load = slot.loads && may_load();
  if (slot.stores && may_store() && !(load && slot.load_turn)) {
    slot.load_turn = slot.takes_turns();
    const Issue result = issue_store(slot, *slot.stores, now);
    if (result == Issue::used) return result;
  }
  slot.load_turn = false;
  return load ? issue_load(slot, *slot.loads, now) : Issue::none;
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
  const LineAccess of_line(run.address + stage.store_offset, run.bytes - stage.store_offset);
  r.address = (run.address + stage.store_offset) & ~std::uint64_t{kLineBytes - 1};
  r.sectors = of_line.sectors;
  r.wavefront = run.wavefront;
  r.op = run.update ? Op::update : stage.route.op;
  r.token = slot.index << kSlotShift;
  r.traffic = setup.traffic;
  r.source = index_;
  r.tile = stage.group.tile;
  r.tracked = stage.route.tracked;
  r.uncached = stage.route.uncached;
  r.remote = stage.route.remote && !run.local;
  r.adds = setup.adds && !r.remote;
  r.gpu = stage.route.gpu;
  r.announces = stage.route.announces;
  if (wiring_.pool) attach_values(slot, stage, run, r.address, r);
  r.tile += stage.route.tile_offset;
  r.address += stage.route.array_offset;
  if (!r.remote) {
    const unsigned home = wiring_.map->slice_of_gpu(r.address);
    access.slice = wiring_.slices[home];
    r.far = wiring_.is_far(home);
  }
  stage.store_offset += of_line.bytes;
  if (stage.store_offset == run.bytes) {
    stage.store_value += run.bytes / kElementBytes;
    ++stage.store_run;
    stage.store_offset = 0;
  }
  return access;
}

ComputeUnit::Issue ComputeUnit::issue_store(Slot& slot, Stage& stage, Tick now) {
  const Access access = store_access(slot, stage);
  if (access.slice && config_.store_acknowledgement) ++slot.unacknowledged;
  if (stage.stores_issued()) {
    check(slot, now);
    slot.stores = nullptr;
    --storing_;
  }
  slot.kernel->store_sent();
  ++(access.slice ? stats_.store_lines : stats_.remote_store_lines);
  if (!input_of(access).take(store_lane_)) return hold(store_lane_, slot, access, now);
  transmit(access, now);
  return Issue::used;
}

// The accesses that a group's loads become: they leave one by one, so what can be known of them is found
// here, for all at once.
void ComputeUnit::make_loads(Slot& slot, Stage& stage, const std::vector<Run>& runs) const {
  slot.value_tokens.clear();
  std::size_t at_most = 2 * runs.size();  // a run may begin and end within a line
  for (const Run& run : runs) at_most += run.bytes / kLineBytes;
  if (slot.to_load.size() < at_most) slot.to_load.resize(at_most);
  Load* load = slot.to_load.data();
  const AddressMap& map = *wiring_.map;
  const bool any_far = !wiring_.far.empty();
  for (const Run& run : runs) {
    const bool streaming = run.streaming || !slot.uses_l1;
    std::uint64_t address = run.address;
    for (std::uint32_t left = run.bytes; left != 0; ++load) {
      const LineAccess access(address, left);
      const unsigned slice = map.slice_of_gpu(address & ~std::uint64_t{kLineBytes - 1});
      *load = {.line = SectorCache::line_number(address),
               .slice = static_cast<std::uint16_t>(slice),
               .wavefront = run.wavefront,
               .sectors = static_cast<std::uint8_t>(access.sectors & kFullLine),
               .kind = static_cast<std::uint8_t>(Load::kind_of(streaming, any_far && wiring_.far[slice]) &
                                                 (Load::kKinds - 1))};
      address += access.bytes;
      left -= access.bytes;
    }
  }
  if (wiring_.pool) label_values(slot, stage, runs);
  slot.next_load = slot.to_load.data();
  slot.left = static_cast<std::uint32_t>(load - slot.next_load);
  stage.loads_left = slot.left != 0;
  if (stage.loads_left) {
    slot.next = *slot.next_load;
    slot.next_set = l1_.set_of(slot.next.line);
  }
  Request common;
  common.op = Op::read;
  common.traffic = slot.kernel->setup().traffic;
  common.source = index_;
  common.tile = stage.group.tile;
  common.token = slot.index << kSlotShift | static_cast<std::uint32_t>(&stage - slot.stages.data())
                                                << kStageShift;
  for (unsigned kind = 0; kind < Load::kKinds; ++kind) {
    common.streaming = (kind & Load::kStreaming) != 0;
    common.far = (kind & Load::kFar) != 0;
    stage.load_requests[kind] = common;
  }
}

// Functional mode: where the values of each load go.
void ComputeUnit::label_values(Slot& slot, const Stage& stage, const std::vector<Run>& runs) {
  const std::size_t stores = stage.group.stores.size();
  if (stores > kMaxRuns)
    throw InputError(
        fmt::format("functional mode: a group stores at most {} runs, not {}", kMaxRuns, stores));
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (std::uint32_t offset = 0; offset < runs[r].bytes;
         offset += LineAccess(runs[r].address + offset, runs[r].bytes - offset).bytes) {
      const auto store = static_cast<std::uint32_t>(stores ? r % stores : 0);
      slot.value_tokens.push_back(store << kRunShift | (offset / kSectorBytes & 0xFF));
    }
}

// The slot's next load. Written where it is to be, and no byte of it is read again: that would wait for the host's store
// buffer.
[[gnu::always_inline]] inline void ComputeUnit::write_load(const Slot& slot, const Stage& stage,
                                                           const Load& load, Request& request) const {
  request = stage.load_requests[load.kind];
  request.address = load.address();
  request.sectors = load.sectors;
  request.wavefront = load.wavefront;
  if (wiring_.pool)
    request.token |= slot.value_tokens[static_cast<std::size_t>(slot.next_load - slot.to_load.data())];
}

// Room for one more load in flight, now that those that have come are counted? If not, the CU wakes when there is.
bool ComputeUnit::finds_flight(Tick now) {
  count_returned(now);
  if (in_flight_ < loads_in_flight_) return true;
  in_flight_full_since_ = now;
  holds_ |= kInFlight;
  if (!completions_.empty()) wiring_.scheduler->wake(*this, completions_.front());
  return false;
}

// It is the slot's next one no more.
[[gnu::always_inline]] inline void ComputeUnit::count_load(Slot& slot, Stage& stage, std::uint8_t sectors,
                                                           Tick now) {
  ++stats_.load_lines;
  stats_.load_sectors += static_cast<std::uint64_t>(sector_count(sectors));
  if (--slot.left != 0) {
    slot.next = *++slot.next_load;
    slot.next_set = l1_.set_of(slot.next.line);
    l1_.prefetch_set(slot.next_set);
    wiring_.slices[slot.next.slice]->prefetch();
    __builtin_prefetch(slot.next_load + kLoadsAhead);
    return;
  }
  stage.loads_left = false;
  slot.loads = nullptr;
  --loading_;
  check(slot, now);
}

// The L1 has it.
void ComputeUnit::load_hit(Stage& stage, std::uint32_t entry, std::uint8_t sectors, Tick now) {
  stats_.l1_hit_sectors += static_cast<std::uint64_t>(sector_count(sectors));
  const Tick ready = std::max(now + clock_.cycles(config_.l1_latency_cycles), l1_.time(entry));
  stage.ready_at = std::max(stage.ready_at, ready);
  if (stage.loads_issued() && stage.pending == 0) wiring_.scheduler->wake(*this, stage.ready_at);
  issue_free_ = now + clock_.period();
}

[[gnu::always_inline]] inline ComputeUnit::Issue ComputeUnit::issue_load(Slot& slot, Stage& stage, Tick now) {
  const Load load = slot.next;
  if (!load.streaming())
    if (const std::uint32_t entry = l1_.use(slot.next_set, load.line, load.sectors);
        entry != SectorCache::kNone) {
      count_load(slot, stage, load.sectors, now);
      load_hit(stage, entry, load.sectors, now);
      return Issue::used;
    }
  if (!may_fly(now)) return Issue::held;
  ++in_flight_;
  ++stage.pending;
  L2Slice& slice = *wiring_.slices[load.slice];
  const bool room = slice.input().take(load_lane_);
  if (room) {
    write_load(slot, stage, load, slice.push(leave_to(slice, request_flits(load.sectors), now)));
  } else {
    Access access{{}, &slice};
    write_load(slot, stage, load, access.request);
    hold(load_lane_, slot, access, now);
  }
  count_load(slot, stage, load.sectors, now);
  return room ? Issue::used : Issue::held;
}

CreditedInput& ComputeUnit::input_of(const Access& access) const {
  return access.slice ? access.slice->input() : wiring_.remote->store_input(access.request.gpu);
}

// The access waits until its target has room.
ComputeUnit::Issue ComputeUnit::hold(Lane& lane, const Slot& slot, const Access& access, Tick now) {
  lane.held = access;
  lane.slot = slot.index;
  holds_ |= lane.waits;
  lane.since = now;
  if (&lane == &store_lane_) {
    matrix_.account(now);
    update_places();
  }
  return Issue::held;
}

// Takes the way out for `flits`; returns when they are at the other end of the network.
Tick ComputeUnit::leave(std::uint32_t flits, Tick now) {
  issue_free_ = now + clock_.cycles(flits);
  return issue_free_ + noc_latency_ - clock_.period();
}

// Through a crossbar: while another CU's access enters the slice, this one and those behind it wait.
Tick ComputeUnit::leave_to(L2Slice& slice, std::uint32_t flits, Tick now) {
  return leave(flits, by_sectors_ ? slice.enter(flits, now) : now);
}

// Of a request that carries no data.
std::uint32_t ComputeUnit::request_flits(std::uint8_t sectors) const {
  return by_sectors_ ? static_cast<std::uint32_t>(sector_count(sectors)) : 1;
}

void ComputeUnit::transmit(const Access& access, Tick now) {
  const Request& r = access.request;
  const std::uint32_t flits =
      r.op == Op::read
          ? request_flits(r.sectors)
          : (access.slice ? store_flits_
                          : remote_store_flits_)[static_cast<std::size_t>(sector_count(r.sectors))];
  if (access.slice)
    access.slice->push(leave_to(*access.slice, flits, now)) = r;
  else
    wiring_.remote->push_store(r, leave(flits, now));
}

// Functional mode: the values of one stored line, made by the kernel or summed from what was loaded.
void ComputeUnit::attach_values(const Slot& slot, const Stage& stage, const Run& run, std::uint64_t line,
                                Request& request) {
  const ElementValues* made = slot.kernel->setup().values;
  const std::uint32_t part = made ? slot.kernel->setup().source->part(slot.workgroup) : 0;
  request.payload = wiring_.pool->allocate();
  LineValues& out = (*wiring_.pool)[request.payload];
  for (std::uint32_t i = 0; i < kElementsPerLine; ++i) {
    if ((request.sectors >> (i / kElementsPerSector) & 1) == 0) {
      if (!made) out[i] = kNoValue;
      continue;
    }
    const std::uint64_t address = line + i * kElementBytes;
    const bool of_run = address >= run.address && address < run.address + run.bytes;
    if (made)
      out[i] = made->value(address, part);
    else
      out[i] = of_run ? stage.values[stage.store_value + (address - run.address) / kElementBytes] : kNoValue;
  }
}

void ComputeUnit::collect_values(Stage& stage, const Request& request) {
  if (request.payload == kNoPayload) return;
  if (!stage.group.stores.empty()) {
    const LineValues& in = (*wiring_.pool)[request.payload];
    const std::uint32_t store = (request.token >> kRunShift) & (kMaxRuns - 1);
    const std::uint32_t offset = (request.token & 0xFF) * kSectorBytes;
    const std::uint32_t first = static_cast<std::uint32_t>(__builtin_ctz(request.sectors)) * kSectorBytes;
    const std::uint32_t bytes = request_bytes(request);
    const std::size_t base = (std::size_t{store} * stage.group.stores[store].bytes + offset) / 2;
    for (std::uint32_t i = 0; i < bytes / 2; ++i) stage.values[base + i] += in[first / 2 + i];
  }
  wiring_.pool->release(request.payload);
}

}  // namespace t3sim
