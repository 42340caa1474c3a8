// Turns the instructions of a thread block into the groups of a workgroup program.
//
// A group of a program is a phase of the block: it ends where a warp waits for a load or at a barrier. Warps
// go through the phases together. A load belongs to the phase that first needs it, and is in flight while the
// phases before compute: how many is the kernel's number of buffers. Of a phase's instructions, the issue
// pipeline makes cycles.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernel/program.h"
#include "trace/import/accelsim/issue_pipeline.h"
#include "trace/import/accelsim/kernel_reader.h"

namespace t3sim::accelsim {

// What was in the trace.
struct BlockCounts {
  std::uint64_t instructions = 0;
  std::uint64_t load_sectors = 0, store_sectors = 0, update_sectors = 0;  // 32 B each, before any cache
  std::uint64_t barriers = 0;                                             // that warps reached
  std::uint64_t local_accesses = 0;  // warp instructions that spill: taken as L1 hits
  std::uint64_t unknown_tensor = 0;  // tensor instructions whose shape is not known: counted as free
};

// A visitor of KernelReader::next_block().
class BlockBuilder {
 public:
  BlockBuilder(const KernelHeader& header, const IssueModel& model, const TextSource& source);

  void begin_block();
  void begin_warp(std::uint32_t warp);
  void instruction(const Instruction& instruction);

  // The groups of the block, in order: f(group). The group is only valid during the call.
  template <class F>
  void finish(std::uint32_t tile, F&& f) {
    end_warp();
    for (const std::vector<std::uint32_t>& interval : intervals_)
      for (const std::uint32_t phase : interval)
        if (fill(phases_[phase], tile)) f(group_);
  }

  // Address of the block's first store; none if it does not store.
  std::optional<std::uint64_t> first_store() const;

  // Groups, itself included, from a load's issue to its use, as far as seen.
  std::uint32_t buffers() const { return buffers_; }
  const BlockCounts& counts() const { return counts_; }

 private:
  struct Phase {
    std::vector<Run> loads, stores;
    std::vector<IssuePipeline::WorkId> works;  // by warp
    std::uint64_t flops = 0;
  };
  // Loads that were issued in one phase and that nobody has waited for yet.
  struct Batch {
    std::vector<Run> loads;
    std::uint32_t phase = 0;     // that issued them
    std::uint32_t sequence = 0;  // of that phase, in this warp
    bool open = true;            // more loads may join
  };
  // Batches complete in the order in which they were opened. They are numbered from 1.
  struct Batches {
    std::deque<Batch> waiting;
    std::uint32_t completed = 0;
  };

  const Opcode& opcode(std::string_view name);
  OpKind resolve(const Instruction& instruction, OpKind kind) const;
  // A global access keeps the load and store unit a cycle for each line.
  AccessCost access(const Instruction& instruction, const Opcode& opcode, OpKind kind);
  AccessCost load(const Instruction& instruction, const Opcode& opcode, Batches& batches);
  void store(const Instruction& instruction, const Opcode& opcode, bool update);
  void count_run();
  Batch& open_batch(Batches& batches);
  void mark_pending(const Instruction& instruction, std::uint32_t width_bytes);
  void wait_for_registers(const Registers& registers);
  // Waits for all batches up to number `last`.
  void wait_for(Batches& batches, std::uint32_t last);
  void next_phase();
  void next_interval();
  void enter_phase();
  void leave_phase();
  void end_warp();
  Phase& phase() { return phases_[current_]; }
  bool fill(Phase& phase, std::uint32_t tile);

  const KernelHeader& header_;
  IssueModel model_;
  IssuePipeline pipeline_;
  const TextSource& source_;
  std::unordered_map<std::string, Opcode> opcodes_;
  std::string opcode_name_;

  std::vector<Phase> phases_;  // a pool: the first used_ belong to this block
  std::size_t used_ = 0;
  std::vector<std::vector<std::uint32_t>> intervals_;  // phases in order, from barrier to barrier
  std::uint64_t runs_ = 0;

  // The warp being read.
  std::uint32_t warp_ = 0;
  std::size_t interval_ = 0, position_ = 0;  // in intervals_
  std::uint32_t current_ = 0;                // the phase there
  std::uint32_t sequence_ = 0;               // phases this warp has begun
  WarpWork work_;                            // this warp's, in its phase
  Batches registers_;                        // loads into registers
  Batches async_;                            // copies from global to shared memory
  std::array<std::uint32_t, kZeroRegister + 1>
      pending_{};  // register -> the batch of registers_ that fills it

  std::uint32_t buffers_ = 1;
  BlockCounts counts_;
  Group group_;
};

}  // namespace t3sim::accelsim
