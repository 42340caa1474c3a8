#include "trace/trace_summary.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

#include "base/number.h"
#include "kernel/touched_sectors.h"

namespace t3sim {
namespace {

constexpr double kPicosecondsPerNs = 1000;

// Where the matrices of a GEMM are.
class Operands {
 public:
  explicit Operands(const std::optional<GemmSpec>& gemm) {
    if (!gemm) return;
    matrices_ = {gemm->a(), gemm->b(), gemm->c().layout};
  }
  Operand of(std::uint64_t address) const {
    for (std::size_t i = 0; i < matrices_.size(); ++i)
      if (address - matrices_[i].base() < matrices_[i].footprint_bytes()) return static_cast<Operand>(i);
    return Operand::other;
  }

 private:
  std::array<MatrixLayout, 3> matrices_;
};

// When the workgroups of a kernel run on the ideal machine: each takes the slot that is free first.
class IdealSchedule {
 public:
  IdealSchedule(const KernelTraits& traits, const IdealMachine& machine)
      : timing_(traits.timing), slots_(slots(traits, machine)) {
    const double ns_per_cycle = 1000.0 / machine.clock_mhz;
    const double per_cu = real(slots_) / machine.cus;
    ns_per_flop_ = ns_per_cycle * per_cu / machine.matrix_flops_per_cycle;
    ns_per_store_byte_ = ns_per_cycle * slots_ / machine.store_bytes_per_cycle;
    ns_per_cycle_ = ns_per_cycle * per_cu;
    ns_of_delay_ = ns_per_cycle;
    for (std::uint32_t i = 0; i < slots_; ++i) free_.push(0);
  }

  static std::uint32_t slots(const KernelTraits& traits, const IdealMachine& machine) {
    return machine.cus *
           (traits.workgroups_per_cu > 0 ? traits.workgroups_per_cu : machine.workgroups_per_cu);
  }

  void begin_workgroup() {
    start_ = now_ = timing_ == Timing::kernel ? 0 : free_.top();
    if (timing_ != Timing::kernel) free_.pop();
  }
  // Time passes with the group's compute.
  void compute(const Group& group) {
    if (timing_ == Timing::none)
      now_ += real(group.matrix_flops) * ns_per_flop_ + group.cycles * ns_per_cycle_ +
              group.delay_cycles * ns_of_delay_;
    else
      now_ = std::max(now_, start_ + real(group.not_before_ps) / kPicosecondsPerNs);
  }
  void store(std::uint64_t bytes) {
    if (timing_ == Timing::none) now_ += real(bytes) * ns_per_store_byte_;
  }
  void end_workgroup() {
    if (timing_ != Timing::kernel) free_.push(now_);
  }
  double now() const { return now_; }

 private:
  Timing timing_;
  std::uint32_t slots_;
  double ns_per_flop_, ns_per_store_byte_, ns_per_cycle_, ns_of_delay_;
  double start_ = 0, now_ = 0;
  std::priority_queue<double, std::vector<double>, std::greater<>> free_;
};

class Walk {
 public:
  Walk(KernelSource& kernel, const std::optional<GemmSpec>& gemm, const IdealMachine& machine)
      : kernel_(kernel), operands_(gemm), schedule_(kernel.traits(), machine) {
    summary_.workgroups_per_stage = IdealSchedule::slots(kernel.traits(), machine);
    if (gemm) summary_.stage_of_tile.assign(gemm->c().grid.tiles(), kNoStage);
  }

  TraceSummary run() {
    std::unique_ptr<WorkgroupProgram> program;
    for (std::uint32_t i = 0; i < kernel_.workgroups(); ++i) {
      program = kernel_.program(i, std::move(program));
      walk_workgroup(i, *program);
    }
    summary_.touched_load_bytes = loaded_.bytes();
    summary_.touched_store_bytes = stored_.bytes();
    return std::move(summary_);
  }

 private:
  void walk_workgroup(std::uint32_t i, WorkgroupProgram& program) {
    stage_ = i / summary_.workgroups_per_stage;
    schedule_.begin_workgroup();
    begin_tile(kernel_.tile(i));
    for (bool first = true; program.next(group_); first = false) {
      if (!first && group_.tile != tile_) {
        end_tile();
        ++stage_;
        begin_tile(group_.tile);
      }
      walk_group(first);
    }
    end_tile();
    schedule_.end_workgroup();
  }

  void walk_group(bool first) {
    schedule_.compute(group_);
    // A timeline's first group only says when the workgroup started.
    if (first && group_.loads.empty() && group_.useful_flops == 0 && group_.stores.empty())
      tile_begin_ = schedule_.now();
    ++summary_.groups;
    summary_.matrix_flops += group_.matrix_flops;
    summary_.useful_flops += group_.useful_flops;
    summary_.cycles += group_.cycles;
    tile_flops_ += group_.useful_flops;
    for (const Run& run : group_.loads) count_load(run);
    if (!group_.stores.empty()) first_store_ = std::min(first_store_, schedule_.now());
    std::uint64_t bytes = 0;
    for (const Run& run : group_.stores) bytes += count_store(run);
    schedule_.store(bytes);
    tile_store_bytes_ += bytes;
  }

  void count_load(const Run& run) {
    ++summary_.load_runs;
    summary_.load_bytes[ordinal(operands_.of(run.address))] += run.bytes;
    tile_load_bytes_ += run.bytes;
    loaded_.add(run.address, run.bytes);
  }
  std::uint32_t count_store(const Run& run) {
    ++summary_.store_runs;
    (run.update ? summary_.update_bytes : summary_.store_bytes) += run.bytes;
    stored_.add(run.address, run.bytes);
    return run.bytes;
  }

  void begin_tile(std::uint32_t tile) {
    tile_ = tile;
    tile_begin_ = schedule_.now();
    first_store_ = std::numeric_limits<double>::infinity();
    tile_load_bytes_ = tile_store_bytes_ = tile_flops_ = 0;
  }

  void end_tile() {
    if (tile_ < summary_.stage_of_tile.size()) summary_.stage_of_tile[tile_] = stage_;
    const double end = schedule_.now(), first_store = std::min(first_store_, end);
    if (stage_ >= summary_.stages.size()) summary_.stages.resize(stage_ + 1);
    StageSummary& stage = summary_.stages[stage_];
    const bool first = stage.tiles++ == 0;
    stage.begin_ns = first ? tile_begin_ : std::min(stage.begin_ns, tile_begin_);
    stage.first_store_ns = first ? first_store : std::min(stage.first_store_ns, first_store);
    stage.end_ns = std::max(stage.end_ns, end);
    stage.load_bytes += tile_load_bytes_;
    stage.store_bytes += tile_store_bytes_;
    stage.useful_flops += tile_flops_;
  }

  KernelSource& kernel_;
  Operands operands_;
  IdealSchedule schedule_;
  TraceSummary summary_;
  TouchedSectors loaded_, stored_;
  Group group_;
  // The tile being walked.
  std::uint32_t tile_ = 0, stage_ = 0;
  double tile_begin_ = 0, first_store_ = 0;
  std::uint64_t tile_load_bytes_ = 0, tile_store_bytes_ = 0, tile_flops_ = 0;
};

}  // namespace

std::uint64_t TraceSummary::all_load_bytes() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t bytes : load_bytes) sum += bytes;
  return sum;
}

double TraceSummary::end_ns() const {
  double end = 0;
  for (const StageSummary& stage : stages) end = std::max(end, stage.end_ns);
  return end;
}

TraceSummary summarize(KernelSource& kernel, const std::optional<GemmSpec>& gemm,
                       const IdealMachine& machine) {
  return Walk(kernel, gemm, machine).run();
}

}  // namespace t3sim
