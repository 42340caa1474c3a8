#include "validation/measured/simulated/simulated_cases.h"

#include <fmt/format.h>

#include <cmath>

#include "validation/measured/simulated/gemm_runs.h"
#include "validation/measured/simulated/interference_runs.h"
#include "validation/measured/simulated/program_runs.h"
#include "validation/measured/simulated/rival_runs.h"
#include "validation/measured/simulated/transfer_runs.h"

namespace t3sim {
namespace {

std::uint64_t output_size(const GemmShape& shape) { return static_cast<std::uint64_t>(output_bytes(shape)); }

class SimulatedRow {
 public:
  SimulatedRow(const MeasuredMachine& machine, const MeasuredCase& c, MachineRuns& runs)
      : machine_(machine), case_(c), runs_(runs) {}

  double operator()(const CollectiveRow& row) const {
    return collective_run_seconds(machine_, collective_op(row), row.world, row.bytes,
                                  collective_channels_of(row), runs_);
  }
  double operator()(const GemmTimeRow& row) const {
    return gemm(series_of(machine_, row, case_.quantity == "cold")).seconds;
  }
  // An event before and one after a single kernel see all of its launch.
  double operator()(const TimelineCaseRow& row) const {
    const GemmExecutionConfig& library = machine_.config.execution.gemm;
    return gemm(series_of(machine_, row)).seconds + in_seconds(library.compiled_launch_ps) -
           in_seconds(library.launch_ps);
  }
  double operator()(const GemmTrafficRow&) const {
    const MachineRunResult r = gemm_traffic_run(machine_, case_.kernel, runs_);
    return 1e-12 * (case_.kind == CaseKind::gemm_l2_read ? r.l2_read : r.dram_read);
  }
  double operator()(const OverlapRow& row) const {
    const MachineRunResult alone = gemm({.pause_s = row.gemm_pause_s});
    if (case_.kind == CaseKind::gemm_time) return alone.seconds;
    if (row.op == "seq") return alone.seconds + exchange(ChannelOp::reduce_scatter, row.world);
    return share_or_time(overlap_seconds(machine_, row, case_.kernel, alone.clock_hz, runs_), alone.seconds,
                         row.world);
  }
  double operator()(const FusedRow& row) const {
    const MachineRunResult alone = gemm({.pause_s = row.gemm_pause_s});
    if (case_.kind == CaseKind::gemm_time) return alone.seconds;
    if (row.op == "seq_rs") return alone.seconds + exchange(ChannelOp::reduce_scatter, row.world);
    if (row.op == "seq_a2a") return alone.seconds + exchange(ChannelOp::all_to_all, row.world);
    return share_or_time(stored_to_owners(row, alone.clock_hz), alone.seconds, row.world);
  }
  double operator()(const InterferenceRow& row) const {
    return interference_number(machine_, case_, row, runs_);
  }
  double operator()(const CopyRow&) const { return 0; }
  double operator()(const GatherGemmRow& row) const {
    return gather_gemm_number(machine_, row, case_.kind, runs_);
  }
  double operator()(const DecomposedRow& row) const { return decomposed_number(machine_, row, runs_); }
  double operator()(const ScheduleRow& row) const {
    return case_.kind == CaseKind::ficco_schedules ? schedule_number(machine_, row, runs_)
                                                   : contention_number(machine_, row, runs_);
  }
  double operator()(const EmbeddingRow& row) const {
    return embedding_number(machine_, row, case_.kind, runs_);
  }
  double operator()(const GemvRow& row) const { return gemv_number(machine_, row, case_.kind, runs_); }
  double operator()(const PeerCopyRow& row) const { return copies_seconds(machine_, row, runs_); }

 private:
  MachineRunResult gemm(const CallSeries& series) const {
    return gemm_in_series(machine_, case_.kernel, series, runs_);
  }
  double exchange(ChannelOp op, std::uint32_t world) const {
    return collective_run_seconds(machine_, op, world, output_size(case_.kernel.shape), 0, runs_);
  }
  // Of a row that overlaps GEMM and collective: its time, or what its kind says of that.
  double share_or_time(double seconds, double gemm_s, std::uint32_t world) const {
    if (case_.kind == CaseKind::gemm_a2a_saving)
      return 100 * (1 - seconds / (gemm_s + exchange(ChannelOp::all_to_all, world)));
    if (case_.kind != CaseKind::overlap_efficiency) return seconds;
    return 100 * (1 - (seconds - gemm_s) / exchange(ChannelOp::reduce_scatter, world));
  }
  // Two barriers of all GPUs are part of every row; the program has the one before its sum.
  double stored_to_owners(const FusedRow& row, std::uint64_t hz) const {
    const double barrier = in_seconds(machine_.config.execution.channel.barrier_ps);
    if (row.op.ends_with("then_reduce"))
      return barrier + owner_sum_seconds(machine_, row, case_.kernel, hz, runs_);
    return 2 * barrier + owner_stores_seconds(machine_, case_.kernel, row.world,
                                              row.op.starts_with("fused_a2a_shifted"), hz, runs_);
  }

  const MeasuredMachine& machine_;
  const MeasuredCase& case_;
  MachineRuns& runs_;
};

}  // namespace

double simulated(const MeasuredMachine& machine, const MeasuredCase& c, MachineRuns& runs) {
  return (c.unit == "us" || c.unit == "MB" ? 1e6 : 1) * std::visit(SimulatedRow(machine, c, runs), c.row);
}

}  // namespace t3sim
