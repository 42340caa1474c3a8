#include "trace/import/accelsim/issue_pipeline.h"

#include <algorithm>
#include <limits>

#include "base/number.h"

namespace t3sim::accelsim {
namespace {

using Cycle = std::uint64_t;
using Unit = PipelineInstruction::Unit;
constexpr Cycle kNever = std::numeric_limits<Cycle>::max();
constexpr std::size_t kUnits = ordinal(Unit::none);
constexpr std::size_t kMemory = ordinal(Unit::memory);

Unit unit_of(OpKind kind) {
  switch (kind) {
    case OpKind::integer:
      return Unit::integer;
    case OpKind::fp32:
      return Unit::fp32;
    case OpKind::fp64:
      return Unit::fp64;
    case OpKind::half:
      return Unit::half;
    case OpKind::sfu:
      return Unit::sfu;
    case OpKind::tensor:
      return Unit::tensor;
    case OpKind::load:
    case OpKind::store:
    case OpKind::reduction:
    case OpKind::generic_load:
    case OpKind::generic_store:
    case OpKind::local:
    case OpKind::shared:
    case OpKind::copy_async:
      return Unit::memory;
    default:
      return Unit::none;
  }
}

std::uint16_t clipped(std::uint64_t cycles) {
  return narrow<std::uint16_t>(std::min<std::uint64_t>(cycles, 0xffff));
}

// An instruction between its issue and its unit; none: the place is empty.
struct InFlight {
  const PipelineInstruction* instruction = nullptr;
  std::uint32_t warp = 0;
  Cycle since = 0;  // when it got here

  bool empty() const { return instruction == nullptr; }
  std::size_t unit() const { return ordinal(instruction->unit); }
};

struct Warp {
  const WarpWork* work = nullptr;
  std::size_t next = 0;
  std::array<Cycle, kZeroRegister + 1> ready{};  // by register

  bool done() const { return next == work->size(); }
};

struct UnitPort {
  InFlight entry, exit;  // before and behind the collectors
  Cycle free_at = 0;
};

struct SchedulerState {
  std::array<UnitPort, kUnits> ports;
  std::vector<InFlight> collectors;
  std::vector<std::uint32_t> warps;
  std::size_t turn = 0;  // of warps
};

// The pipeline of a CU.
class Pipeline {
 public:
  Pipeline(const IssueModel& model, std::span<const WarpWork* const> works)
      : schedulers_(model.schedulers), warps_(works.size()) {
    for (SchedulerState& s : schedulers_)
      s.collectors.resize(std::max(model.collectors / model.schedulers, 1U));
    for (std::uint32_t w = 0; w < works.size(); ++w) {
      warps_[w].work = works[w];
      schedulers_[w % model.schedulers].warps.push_back(w);
      left_ += works[w]->size();
    }
  }

  Cycle run() {
    while (left_ > 0 || in_flight_ > 0) {
      moved_ = false;
      feed_memory();
      for (SchedulerState& s : schedulers_) {
        feed_units(s);
        leave_collectors(s);
        enter_collectors(s);
        issue(s);
      }
      now_ = moved_ ? now_ + 1 : next_event();
    }
    return end_;
  }

 private:
  void start(InFlight& place, Cycle& free_at) {
    const PipelineInstruction& i = *place.instruction;
    free_at = now_ + i.busy;
    end_ = std::max(end_, free_at);
    for (unsigned r = 0; r < i.destinations; ++r)
      if (i.destination + r < kZeroRegister)
        warps_[place.warp].ready[i.destination + r] = now_ + i.latency + 1;  // one to write it back
    place = {};
    --in_flight_;
    moved_ = true;
  }

  // The load and store unit serves, of the schedulers' instructions, the one that has waited longest.
  void feed_memory() {
    if (memory_free_at_ > now_) return;
    InFlight* oldest = nullptr;
    for (SchedulerState& s : schedulers_) {
      InFlight& exit = s.ports[kMemory].exit;
      if (!exit.empty() && (!oldest || exit.since < oldest->since)) oldest = &exit;
    }
    if (oldest) start(*oldest, memory_free_at_);
  }

  void feed_units(SchedulerState& s) {
    for (std::size_t u = 0; u < kUnits; ++u)
      if (UnitPort& port = s.ports[u]; u != kMemory && !port.exit.empty() && port.free_at <= now_)
        start(port.exit, port.free_at);
  }

  void move(InFlight& from, InFlight& to) {
    to = from;
    to.since = now_;
    from = {};
    moved_ = true;
  }

  void leave_collectors(SchedulerState& s) {
    for (InFlight& collector : s.collectors)
      if (!collector.empty() && collector.since + collector.instruction->read_cycles <= now_ &&
          s.ports[collector.unit()].exit.empty())
        move(collector, s.ports[collector.unit()].exit);
  }

  void enter_collectors(SchedulerState& s) {
    for (InFlight& collector : s.collectors) {
      if (!collector.empty()) continue;
      InFlight* oldest = nullptr;
      for (UnitPort& port : s.ports)
        if (!port.entry.empty() && (!oldest || port.entry.since < oldest->since)) oldest = &port.entry;
      if (!oldest) return;
      move(*oldest, collector);
    }
  }

  bool can_issue(const SchedulerState& s, const Warp& warp) const {
    if (warp.done()) return false;
    const PipelineInstruction& i = (*warp.work)[warp.next];
    if (i.unit != Unit::none && !s.ports[ordinal(i.unit)].entry.empty()) return false;
    for (const std::uint16_t r : i.sources)
      if (warp.ready[r] > now_) return false;
    for (unsigned r = 0; r < i.destinations; ++r)
      if (i.destination + r < kZeroRegister && warp.ready[i.destination + r] > now_) return false;
    return true;
  }

  void issue(SchedulerState& s) {
    for (std::size_t n = 0; n < s.warps.size(); ++n) {
      const std::size_t at = (s.turn + n) % s.warps.size();
      Warp& warp = warps_[s.warps[at]];
      if (!can_issue(s, warp)) continue;
      s.turn = at + 1;
      const PipelineInstruction& i = (*warp.work)[warp.next++];
      --left_;
      moved_ = true;
      end_ = std::max(end_, now_ + 1);
      if (i.unit == Unit::none) return;
      s.ports[ordinal(i.unit)].entry = {&i, s.warps[at], now_};
      ++in_flight_;
      for (unsigned r = 0; r < i.destinations; ++r)
        if (i.destination + r < kZeroRegister) warp.ready[i.destination + r] = kNever;
      return;
    }
  }

  // When nothing moves: the next cycle at which a unit becomes free or a register ready.
  Cycle next_event() const {
    Cycle next = kNever;
    const auto consider = [&](Cycle at) {
      if (at > now_) next = std::min(next, at);
    };
    consider(memory_free_at_);
    for (const SchedulerState& s : schedulers_) {
      for (const UnitPort& port : s.ports) consider(port.free_at);
      for (const InFlight& collector : s.collectors)
        if (!collector.empty()) consider(collector.since + collector.instruction->read_cycles);
    }
    for (const Warp& warp : warps_) {
      if (warp.done()) continue;
      const PipelineInstruction& i = (*warp.work)[warp.next];
      for (const std::uint16_t r : i.sources) consider(warp.ready[r]);
      for (unsigned r = 0; r < i.destinations; ++r)
        if (i.destination + r < kZeroRegister) consider(warp.ready[i.destination + r]);
    }
    return std::min(next, now_ + 0x10000);  // no interval or latency is longer
  }

  std::vector<SchedulerState> schedulers_;
  std::vector<Warp> warps_;
  Cycle memory_free_at_ = 0;
  Cycle now_ = 0, end_ = 0;
  std::uint64_t left_ = 0, in_flight_ = 0;
  bool moved_ = false;
};

}  // namespace

PipelineInstruction pipeline_instruction(const IssueModel& model, const Instruction& instruction,
                                         const Opcode& opcode, OpKind kind, std::uint32_t memory_cycles) {
  PipelineInstruction result;
  result.unit = unit_of(kind);
  if (kind == OpKind::tensor && opcode.tensor_work == 0) result.unit = Unit::none;
  const bool memory = result.unit == Unit::memory;
  const UnitTiming timing = model.timing(opcode);
  result.busy = clipped(memory ? memory_cycles : timing.interval);
  result.latency = clipped(memory ? result.busy + model.shared_latency : timing.latency);
  if (instruction.destinations.begin() != instruction.destinations.end()) {
    result.destination = *instruction.destinations.begin();
    result.destinations = narrow<std::uint8_t>(memory ? (opcode.width_bytes + 3) / 4 : 1);
  }
  std::size_t count = 0;
  for (const std::uint16_t r : instruction.sources)
    if (r != kZeroRegister && count < result.sources.size()) result.sources[count++] = r;
  result.read_cycles = narrow<std::uint8_t>(std::max<std::size_t>((count + 2) / 2, 1));
  return result;
}

std::uint64_t pipeline_cycles(const IssueModel& model, std::span<const WarpWork* const> warps) {
  return Pipeline(model, warps).run();
}

IssuePipeline::IssuePipeline(const IssueModel& model, std::uint32_t blocks) : model_(model), blocks_(blocks) {
  intern({});
}

IssuePipeline::WorkId IssuePipeline::intern(const WarpWork& work) {
  const auto [entry, added] = ids_.try_emplace(work, static_cast<WorkId>(works_.size()));
  if (added) {
    works_.push_back(&entry->first);
    size_ += work.size();
  }
  return entry->second;
}

std::uint32_t IssuePipeline::cycles(std::span<const WorkId> warps) {
  const auto [entry, added] = cycles_.try_emplace({warps.begin(), warps.end()}, 0);
  if (!added) return entry->second;
  std::vector<const WarpWork*> works;
  for (std::uint32_t block = 0; block < blocks_; ++block)
    for (const WorkId id : warps) works.push_back(works_[id]);
  const Cycle all = pipeline_cycles(model_, works);
  return entry->second = narrow<std::uint32_t>(std::min<Cycle>((all + blocks_ - 1) / blocks_, ~0U));
}

void IssuePipeline::forget_if_large() {
  constexpr std::uint64_t kMostKept = 1 << 20;
  if (size_ < kMostKept && cycles_.size() < kMostKept / 64) return;
  size_ = 0;
  cycles_.clear();
  works_.clear();
  ids_.clear();
  intern({});
}

}  // namespace t3sim::accelsim
