#include "trace/import/accelsim/issue_pipeline.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include "base/number.h"

namespace t3sim::accelsim {
namespace {

using Cycle = std::uint64_t;
using Unit = PipelineInstruction::Unit;
constexpr Cycle kNever = std::numeric_limits<Cycle>::max();
constexpr std::size_t kUnits = ordinal(Unit::none);
constexpr std::size_t kMemory = ordinal(Unit::memory);
constexpr std::uint32_t kResultPort = 1;  // cycles from a unit's last stage to where results are written
constexpr std::size_t kBanks = 4;         // of registers, a scheduler
constexpr unsigned kStepsPerCycle = 2;    // of operand collectors: each bank reads an operand a step

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
  std::uint64_t number = 0;  // in order of issue

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

struct Collector {
  InFlight held;
  std::uint32_t missing = 0;  // operands
};

struct Bank {
  std::deque<std::size_t> readers;  // collectors, in order
  std::vector<Cycle> writes;  // when a result is written: nothing is read in the first step of that cycle

  bool written_at(Cycle now) {
    std::erase_if(writes, [&](Cycle at) { return at < now; });
    return std::ranges::find(writes, now) != writes.end();
  }
};

// The warps of a scheduler differ by its number of schedulers: they find the same register in the same bank.
std::size_t bank_of(std::uint16_t number) { return number % kBanks; }

struct SchedulerState {
  std::array<UnitPort, kUnits> ports;
  std::array<Bank, kBanks> banks;
  std::vector<Collector> collectors;
  std::vector<std::uint32_t> warps;
  std::size_t turn = 0;  // of warps
};

// The pipeline of a CU.
class Pipeline {
 public:
  Pipeline(const IssueModel& model, std::span<const WarpWork* const> works)
      : model_(model), schedulers_(model.schedulers), warps_(works.size()) {
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
      for (SchedulerState& s : schedulers_) feed_units(s);
      for (unsigned step = 0; step < kStepsPerCycle; ++step) collect_operands(step == 0);
      issue();
      now_ = moved_ ? now_ + 1 : next_event();
    }
    return end_;
  }

 private:
  void start(SchedulerState& s, UnitPort& port, Cycle& free_at) {
    const PipelineInstruction& i = *port.exit.instruction;
    free_at = std::max(now_ + i.busy, pass_to_l1(i));
    end_ = std::max(end_, free_at);
    for (unsigned r = 0; r < i.destinations; ++r) {
      const unsigned number = i.destination + r;
      if (number >= kZeroRegister) break;
      const Cycle written = now_ + i.latency + 1;
      warps_[port.exit.warp].ready[number] = written;
      s.banks[bank_of(narrow<std::uint16_t>(number))].writes.push_back(written);
    }
    port.exit = {};
    --in_flight_;
    moved_ = true;
  }

  // The L1 sends on what it misses so many sectors a cycle; where its queues are full, the load and store unit
  // waits. Returns until when.
  Cycle pass_to_l1(const PipelineInstruction& i) {
    if (i.sectors == 0) return 0;
    const std::uint32_t rate = model_.l1_miss_sectors;
    l1_sends_until_ = std::max(l1_sends_until_, now_) + (i.sectors + rate - 1) / rate;
    const Cycle queued = model_.l1_queue / rate;
    return l1_sends_until_ - std::min(l1_sends_until_, queued);
  }

  // The load and store unit serves, of the schedulers' instructions, the one that was issued first.
  void feed_memory() {
    if (memory_free_at_ > now_) return;
    SchedulerState* first = nullptr;
    for (SchedulerState& s : schedulers_) {
      const InFlight& exit = s.ports[kMemory].exit;
      if (!exit.empty() && (!first || exit.number < first->ports[kMemory].exit.number)) first = &s;
    }
    if (first) start(*first, first->ports[kMemory], memory_free_at_);
  }

  void feed_units(SchedulerState& s) {
    for (std::size_t u = 0; u < kUnits; ++u)
      if (UnitPort& port = s.ports[u]; u != kMemory && !port.exit.empty() && port.free_at <= now_)
        start(s, port, port.free_at);
  }

  void collect_operands(bool first_step) {
    for (SchedulerState& s : schedulers_) {
      leave_collectors(s);
      read_operands(s, first_step);
      enter_collectors(s);
    }
  }

  void leave_collectors(SchedulerState& s) {
    for (Collector& c : s.collectors) {
      if (c.held.empty() || c.missing != 0 || !s.ports[c.held.unit()].exit.empty()) continue;
      s.ports[c.held.unit()].exit = c.held;
      c.held = {};
      moved_ = true;
    }
  }

  void read_operands(SchedulerState& s, bool first_step) {
    for (Bank& bank : s.banks) {
      if (bank.readers.empty() || (first_step && bank.written_at(now_))) continue;
      --s.collectors[bank.readers.front()].missing;
      bank.readers.pop_front();
      moved_ = true;
    }
  }

  // What was issued first gets a free collector first.
  void enter_collectors(SchedulerState& s) {
    for (std::size_t i = 0; i < s.collectors.size(); ++i) {
      if (!s.collectors[i].held.empty()) continue;
      InFlight* oldest = nullptr;
      for (UnitPort& port : s.ports)
        if (!port.entry.empty() && (!oldest || port.entry.number < oldest->number)) oldest = &port.entry;
      if (!oldest) return;
      s.collectors[i].held = std::exchange(*oldest, {});
      ask_for_operands(s, i);
      moved_ = true;
    }
  }

  // Each register once.
  static void ask_for_operands(SchedulerState& s, std::size_t collector) {
    Collector& c = s.collectors[collector];
    const auto& sources = c.held.instruction->sources;
    for (auto r = sources.begin(); r != sources.end(); ++r) {
      if (*r == kZeroRegister || std::find(sources.begin(), r, *r) != r) continue;
      s.banks[bank_of(*r)].readers.push_back(collector);
      ++c.missing;
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

  // The schedulers take turns at being first.
  void issue() {
    for (std::size_t n = 0; n < schedulers_.size(); ++n) issue(schedulers_[(now_ + n) % schedulers_.size()]);
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
      s.ports[ordinal(i.unit)].entry = {&i, s.warps[at], issued_++};
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
      for (const Bank& bank : s.banks)
        if (!bank.readers.empty()) consider(now_ + 1);
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

  const IssueModel& model_;
  std::vector<SchedulerState> schedulers_;
  std::vector<Warp> warps_;
  Cycle memory_free_at_ = 0, l1_sends_until_ = 0;
  Cycle now_ = 0, end_ = 0;
  std::uint64_t left_ = 0, in_flight_ = 0, issued_ = 0;
  bool moved_ = false;
};

}  // namespace

PipelineInstruction pipeline_instruction(const IssueModel& model, const Instruction& instruction,
                                         const Opcode& opcode, OpKind kind, AccessCost access) {
  PipelineInstruction result;
  result.unit = unit_of(kind);
  if (kind == OpKind::tensor && opcode.tensor_work == 0) result.unit = Unit::none;
  const bool memory = result.unit == Unit::memory;
  const UnitTiming timing = model.timing(opcode);
  result.busy = clipped(memory ? access.cycles : timing.interval);
  result.latency = clipped(memory ? result.busy + model.shared_latency : timing.latency + kResultPort);
  result.sectors = clipped(access.sectors);
  if (instruction.destinations.begin() != instruction.destinations.end()) {
    result.destination = *instruction.destinations.begin();
    result.destinations = narrow<std::uint8_t>(memory ? (opcode.width_bytes + 3) / 4 : 1);
  }
  std::size_t count = 0;
  for (const std::uint16_t r : instruction.sources)
    if (r != kZeroRegister && count < result.sources.size()) result.sources[count++] = r;
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
