#include "trace/import/accelsim/block_builder.h"

#include <algorithm>

#include "base/number.h"
#include "trace/import/accelsim/coalesce.h"

namespace t3sim::accelsim {
namespace {

// A load opens a phase of its own behind at least so many instructions of its warp: fewer are no work worth
// waiting for.
constexpr std::uint32_t kMinPhaseInstructions = 8;
// Of one block, in memory at a time (96 MiB): what bounds the importer's memory.
constexpr std::uint64_t kMaxBlockRuns = 6 << 20;
// A longer piece of a warp is cut, so that what repeats in it is kept once.
constexpr std::size_t kMaxPhaseInstructions = 1 << 14;
// Of one block, kept at a time (64 MiB).
constexpr std::uint64_t kMaxBlockInstructions = 4 << 20;
// Of the shared and the local window in the generic address space.
constexpr std::uint64_t kWindowBytes = 16 << 20;

std::span<const std::uint64_t> lanes(const Instruction& instruction) {
  return {instruction.addresses.data(), instruction.active()};
}

// Blocks that a CU holds at once: what its resources allow, and no more than the grid has for it.
std::uint32_t resident_blocks(const KernelHeader& header, const IssueModel& model) {
  std::uint64_t blocks = std::min<std::uint64_t>(model.blocks, model.threads / header.threads());
  if (header.registers > 0)
    blocks = std::min<std::uint64_t>(
        blocks, model.registers / (std::uint64_t{header.registers} * kWarpLanes * header.warps()));
  if (header.shared_memory_bytes > 0)
    blocks =
        std::min<std::uint64_t>(blocks, std::uint64_t{model.shared_kib} * 1024 / header.shared_memory_bytes);
  blocks = std::min(blocks, (header.thread_blocks() + model.cus - 1) / model.cus);
  return narrow<std::uint32_t>(std::max<std::uint64_t>(blocks, 1));
}

}  // namespace

BlockBuilder::BlockBuilder(const KernelHeader& header, const IssueModel& model, const TextSource& source)
    : header_(header), model_(model), pipeline_(model, resident_blocks(header, model)), source_(source) {}

void BlockBuilder::begin_block() {
  pipeline_.forget_if_large();
  used_ = 0;
  intervals_.clear();
  runs_ = 0;
}

void BlockBuilder::begin_warp(std::uint32_t warp) {
  end_warp();
  warp_ = warp;
  sequence_ = 0;
  interval_ = position_ = 0;
  enter_phase();
}

// Goes to the phase at (interval_, position_), which an earlier warp may have made.
void BlockBuilder::enter_phase() {
  if (interval_ == intervals_.size()) intervals_.emplace_back();
  std::vector<std::uint32_t>& interval = intervals_[interval_];
  if (position_ == interval.size()) {
    if (used_ == phases_.size()) phases_.emplace_back();
    Phase& phase = phases_[used_];
    phase.loads.clear();
    phase.stores.clear();
    phase.works.clear();
    phase.flops = 0;
    interval.push_back(narrow<std::uint32_t>(used_++));
  }
  current_ = interval[position_];
  ++sequence_;
}

void BlockBuilder::leave_phase() {
  if (work_.empty()) return;
  std::vector<IssuePipeline::WorkId>& works = phase().works;
  works.resize(std::max<std::size_t>(works.size(), warp_ + 1), IssuePipeline::kNoWork);
  works[warp_] = pipeline_.intern(work_);
  work_.clear();
  if (pipeline_.size() > kMaxBlockInstructions)
    source_.fail("a thread block of more than 4 million warp instructions that do not repeat");
}

void BlockBuilder::next_phase() {
  leave_phase();
  ++position_;
  enter_phase();
}

void BlockBuilder::next_interval() {
  leave_phase();
  ++interval_;
  position_ = 0;
  enter_phase();
}

const Opcode& BlockBuilder::opcode(std::string_view name) {
  opcode_name_.assign(name);
  const auto [entry, added] = opcodes_.try_emplace(opcode_name_);
  if (added) entry->second = parse_opcode(name);
  return entry->second;
}

void BlockBuilder::instruction(const Instruction& instruction) {
  const Opcode& op = opcode(instruction.opcode);
  ++counts_.instructions;
  wait_for_registers(instruction.sources);
  wait_for_registers(instruction.destinations);
  if (work_.size() == kMaxPhaseInstructions) next_phase();
  const OpKind kind = resolve(instruction, op.kind);
  const bool accesses = instruction.has_addresses && instruction.mask != 0;
  const AccessCost cost = accesses ? access(instruction, op, kind) : AccessCost{};
  if (kind == OpKind::unsupported)
    source_.fail("transfers by the tensor memory accelerator are not supported");
  if (kind == OpKind::tensor && op.warp_flops == 0) ++counts_.unknown_tensor;
  work_.push_back(pipeline_instruction(model_, instruction, op, kind, cost));
  phase().flops += op.warp_flops + std::uint64_t{op.lane_flops} * instruction.active();
  if (kind == OpKind::commit_async && !async_.waiting.empty()) async_.waiting.back().open = false;
  if (kind == OpKind::wait_async) {
    const auto in_flight = narrow<std::uint64_t>(async_.waiting.size());
    if (in_flight > instruction.immediate)
      wait_for(async_, async_.completed + narrow<std::uint32_t>(in_flight - instruction.immediate));
  }
  if (kind == OpKind::barrier) {
    ++counts_.barriers;
    next_interval();
  }
}

// What a generic access goes to is a question of its address, the same for all lanes of a warp.
OpKind BlockBuilder::resolve(const Instruction& instruction, OpKind kind) const {
  if (kind != OpKind::generic_load && kind != OpKind::generic_store) return kind;
  if (!instruction.has_addresses || instruction.mask == 0) return OpKind::other;
  const std::uint64_t address = instruction.addresses[0];
  if (address - header_.shared_base < kWindowBytes) return OpKind::shared;
  if (address - header_.local_base < kWindowBytes) return OpKind::local;
  return kind == OpKind::generic_load ? OpKind::load : OpKind::store;
}

AccessCost BlockBuilder::access(const Instruction& instruction, const Opcode& op, OpKind kind) {
  switch (kind) {
    case OpKind::load: {
      const AccessCost cost = load(instruction, op, registers_);
      mark_pending(instruction, op.width_bytes);
      return cost;
    }
    case OpKind::copy_async:
      return load(instruction, op, async_);
    case OpKind::store:
      store(instruction, op, false);
      return {};
    case OpKind::reduction:
      store(instruction, op, true);
      return {};
    case OpKind::shared:
      return {shared_memory_cycles(lanes(instruction), op.width_bytes), 0};
    case OpKind::local:
      ++counts_.local_accesses;
      return {};
    default:
      return {};
  }
}

BlockBuilder::Batch& BlockBuilder::open_batch(Batches& batches) {
  const bool joins = !batches.waiting.empty() && batches.waiting.back().open &&
                     (&batches == &async_ || batches.waiting.back().sequence == sequence_);
  if (!joins) {
    if (work_.size() >= kMinPhaseInstructions) next_phase();
    Batch& batch = batches.waiting.emplace_back();
    batch.phase = current_;
    batch.sequence = sequence_;
  }
  return batches.waiting.back();
}

AccessCost BlockBuilder::load(const Instruction& instruction, const Opcode& op, Batches& batches) {
  Batch& batch = open_batch(batches);
  AccessCost cost;
  cost.cycles = for_each_sector_run(
      lanes(instruction), op.width_bytes, [&](std::uint64_t address, std::uint32_t bytes) {
        batch.loads.push_back({.address = address, .bytes = bytes, .wavefront = narrow<std::uint8_t>(warp_)});
        cost.sectors += bytes / kSectorBytes;
        count_run();
      });
  counts_.load_sectors += cost.sectors;
  return cost;
}

// What its sectors take on their way out is the machine's: the port of the CU that runs the trace.
void BlockBuilder::store(const Instruction& instruction, const Opcode& op, bool update) {
  std::uint64_t& sectors = update ? counts_.update_sectors : counts_.store_sectors;
  for_each_sector_run(lanes(instruction), op.width_bytes, [&](std::uint64_t address, std::uint32_t bytes) {
    phase().stores.push_back(
        {.address = address, .bytes = bytes, .wavefront = narrow<std::uint8_t>(warp_), .update = update});
    sectors += bytes / kSectorBytes;
    count_run();
  });
}

void BlockBuilder::count_run() {
  if (++runs_ > kMaxBlockRuns) source_.fail("a thread block of more than 6 million accesses");
}

// A 16 B load fills four registers, of which the line names the first.
void BlockBuilder::mark_pending(const Instruction& instruction, std::uint32_t width_bytes) {
  const auto batch = registers_.completed + narrow<std::uint32_t>(registers_.waiting.size());
  for (const std::uint16_t first : instruction.destinations)
    for (std::uint32_t r = first; r < std::min<std::uint32_t>(first + (width_bytes + 3) / 4, kZeroRegister);
         ++r)
      pending_[r] = batch;
}

void BlockBuilder::wait_for_registers(const Registers& registers) {
  for (const std::uint16_t r : registers)
    if (pending_[r] > registers_.completed) wait_for(registers_, pending_[r]);
}

void BlockBuilder::wait_for(Batches& batches, std::uint32_t last) {
  next_phase();
  for (; batches.completed < last; ++batches.completed) {
    Batch& batch = batches.waiting.front();
    phase().loads.insert(phase().loads.end(), batch.loads.begin(), batch.loads.end());
    buffers_ = std::max(buffers_, sequence_ - batch.sequence + 1);
    batches.waiting.pop_front();
  }
}

// Loads that nobody waited for stay with the phase that issued them.
void BlockBuilder::end_warp() {
  leave_phase();
  for (Batches* batches : {&registers_, &async_}) {
    for (const Batch& batch : batches->waiting) {
      std::vector<Run>& loads = phases_[batch.phase].loads;
      loads.insert(loads.end(), batch.loads.begin(), batch.loads.end());
    }
    batches->waiting.clear();
    batches->completed = 0;
  }
  pending_.fill(0);
}

std::optional<std::uint64_t> BlockBuilder::first_store() const {
  for (const std::vector<std::uint32_t>& interval : intervals_)
    for (const std::uint32_t phase : interval)
      if (!phases_[phase].stores.empty()) return phases_[phase].stores.front().address;
  return std::nullopt;
}

// Makes group_ of the phase; false when nothing happens in it.
bool BlockBuilder::fill(Phase& phase, std::uint32_t tile) {
  group_.clear();
  group_.tile = tile;
  group_.cycles = pipeline_.cycles(phase.works);
  group_.useful_flops = phase.flops;
  group_.loads.swap(phase.loads);
  group_.stores.swap(phase.stores);
  return group_.cycles > 0 || !group_.loads.empty() || !group_.stores.empty();
}

}  // namespace t3sim::accelsim
