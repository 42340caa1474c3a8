// How long the warps of a CU take over a piece of a kernel: the way of their instructions from the schedulers
// to the units, cycle by cycle (traces/FORMAT.md, "Issue model").
//
// In order within a warp; each scheduler issues one instruction a cycle, to its warps in turn (loose round
// robin), if the registers it names are ready and the entry of its unit is empty. From the entry it goes to
// one of the scheduler's operand collectors, which all units share, reads its operands there, bank by bank,
// goes to the exit of its unit, and into the unit when that is free. So instructions that wait for shared
// memory, which serves one scheduler at a time, keep collectors from the matrix work behind them; and global
// loads, whose sectors leave the L1 one by one, keep shared memory's accesses behind them waiting.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "trace/import/accelsim/instruction.h"
#include "trace/import/accelsim/issue_model.h"

namespace t3sim::accelsim {

// What the pipeline has to know of a warp instruction.
struct PipelineInstruction {
  enum class Unit : std::uint8_t { integer, fp32, fp64, half, sfu, tensor, memory, none };

  Unit unit = Unit::none;  // none: control flow, which only takes the scheduler's slot
  std::uint8_t destinations = 0;
  std::uint16_t busy = 1, latency = 1;        // cycles of the unit, and until the result is there
  std::uint16_t sectors = 0;                  // that the L1 has to ask for
  std::uint16_t destination = kZeroRegister;  // the first of `destinations`
  std::array<std::uint16_t, 4> sources{kZeroRegister, kZeroRegister, kZeroRegister, kZeroRegister};

  auto operator<=>(const PipelineInstruction&) const = default;
};

// What an access takes of the load and store unit, and of the L1 behind it.
struct AccessCost {
  std::uint32_t cycles = 1, sectors = 0;
};

PipelineInstruction pipeline_instruction(const IssueModel& model, const Instruction& instruction,
                                         const Opcode& opcode, OpKind kind, AccessCost access);

using WarpWork = std::vector<PipelineInstruction>;

// Cycles from the first issue until every instruction has been issued and every unit is free again. `warps`:
// the instructions of each warp, in order.
std::uint64_t pipeline_cycles(const IssueModel& model, std::span<const WarpWork* const> warps);

// Keeps warp works that occur again and again once, and what pieces made of them take.
class IssuePipeline {
 public:
  // `blocks` thread blocks share the CU, all in the same piece: a block's share is one in `blocks`.
  IssuePipeline(const IssueModel& model, std::uint32_t blocks);

  using WorkId = std::uint32_t;
  static constexpr WorkId kNoWork = 0;  // of a warp that does nothing
  // The same for equal works, until forget().
  WorkId intern(const WarpWork& work);
  // Cycles that a piece of one block costs, whose warps have these works, in order.
  std::uint32_t cycles(std::span<const WorkId> warps);
  // To be called between blocks: bounds what is kept.
  void forget_if_large();
  // Instructions kept.
  std::uint64_t size() const { return size_; }

 private:
  IssueModel model_;
  std::uint32_t blocks_;
  std::uint64_t size_ = 0;
  std::map<WarpWork, WorkId> ids_;
  std::vector<const WarpWork*> works_;  // by id
  std::map<std::vector<WorkId>, std::uint32_t> cycles_;
};

}  // namespace t3sim::accelsim
