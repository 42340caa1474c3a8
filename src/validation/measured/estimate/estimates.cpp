#include "validation/measured/estimate/estimates.h"

#include "validation/measured/estimate/fused_model.h"
#include "validation/measured/estimate/gemm_model.h"
#include "validation/measured/estimate/interference_estimate.h"
#include "validation/measured/simulated/transfer_runs.h"

namespace t3sim {
namespace {

std::uint64_t output(const GemmShape& shape) { return static_cast<std::uint64_t>(output_bytes(shape)); }

double collective_s(const MeasuredMachine& machine, CollectiveOp op, std::uint32_t world,
                    std::uint64_t bytes) {
  return collective_seconds(machine.channels(), op, world, bytes, 0);
}

// The matrix units rest while the collective runs.
double sequence_s(const MeasuredMachine& machine, const LibraryGemm& kernel, double collective) {
  GemmSurroundings around;
  around.series.pause_s = collective;
  return gemm_timing(machine, kernel, around).seconds + collective;
}

// A persistent kernel holds every CU until its end, so a collective's blocks wait for it. One that is not
// gives up CUs as its workgroups end.
double two_streams_s(const MeasuredMachine& machine, const LibraryGemm& kernel, double collective) {
  if (kernel.persistent) return sequence_s(machine, kernel, collective);
  GemmSurroundings beside;
  beside.held_cus = collective_channels(machine.channels(), CollectiveOp::reduce_scatter, 0);
  beside.held_s = collective;
  const double alone = gemm_timing(machine, kernel).seconds,
               shared = gemm_timing(machine, kernel, beside).seconds;
  return shared <= collective ? collective : collective + alone * (1 - collective / shared);
}

// Reads the part that each GPU has sent, adds, writes the sum.
double local_sum_s(const MeasuredMachine& machine, const FusedRow& row) {
  const GemmExecutionConfig& gemm = machine.config.execution.gemm;
  const double bytes = output_bytes(row.shape) * (1 + 1.0 / row.world);
  return in_seconds(gemm.launch_ps) +
         bytes / (gemm.local_sum_share * machine.config.memory.peak_bytes_per_second());
}

// Seconds, and of traffic bytes.
class EstimatedRow {
 public:
  EstimatedRow(const MeasuredMachine& machine, const MeasuredCase& c) : machine_(machine), case_(c) {}

  double operator()(const CollectiveRow& row) const {
    return collective_seconds(machine_.channels(), collective_op(row), row.world, row.bytes,
                              collective_channels_of(row));
  }
  double operator()(const GemmTimeRow& row) const {
    GemmSurroundings around;
    around.series = series_of(machine_, row, case_.quantity == "cold");
    return gemm(around);
  }
  double operator()(const TimelineCaseRow& row) const {
    GemmSurroundings alone;
    alone.series = series_of(machine_, row);
    alone.launched_alone = true;
    return gemm(alone);
  }
  double operator()(const GemmTrafficRow&) const {
    const GemmTraffic traffic = gemm_traffic(machine_, case_.kernel);
    return 1e-12 * (case_.kind == CaseKind::gemm_l2_read ? traffic.l2_read : traffic.dram_read);
  }
  double operator()(const OverlapRow& row) const {
    if (case_.kind == CaseKind::gemm_time) return gemm({});
    const double rs = collective_s(machine_, CollectiveOp::reduce_scatter, row.world, output(row.shape));
    return case_.kind == CaseKind::sequential ? sequence_s(machine_, case_.kernel, rs)
                                              : two_streams_s(machine_, case_.kernel, rs);
  }
  double operator()(const FusedRow& row) const {
    if (case_.kind == CaseKind::gemm_time) return gemm({});
    if (case_.kind == CaseKind::sequential) {
      const CollectiveOp op = row.op == "seq_rs" ? CollectiveOp::reduce_scatter : CollectiveOp::all_to_all;
      return sequence_s(machine_, case_.kernel, collective_s(machine_, op, row.world, output(row.shape)));
    }
    return fused(row);
  }
  double operator()(const InterferenceRow& row) const {
    const SlowDown slow = slow_down(machine_, case_.kernel, row);
    return 100 * (case_.quantity.starts_with("GEMM") ? slow.gemm : slow.transfer);
  }
  double operator()(const PeerCopyRow& row) const {
    const double ways = row.direction == "pull" ? 2 : 1;
    return in_seconds(machine_.config.commands.copy_ps) + machine_.load_latency_s() +
           ways * in_seconds(machine_.config.topology.link.latency_ps) +
           static_cast<double>(row.moved) / machine_.copy_link_Bps();
  }
  template <class Other>
  double operator()(const Other&) const {
    return 0;
  }

 private:
  double gemm(const GemmSurroundings& around) const {
    return gemm_timing(machine_, case_.kernel, around).seconds;
  }
  double fused(const FusedRow& row) const {
    const ExecutionConfig& e = machine_.config.execution;
    const double sum = row.op.ends_with("then_reduce") ? local_sum_s(machine_, row) : 0;
    const bool shifted = row.op.starts_with("fused_a2a_shifted");
    return in_seconds(e.gemm.launch_ps) + 2 * in_seconds(e.channel.barrier_ps) + sum +
           fused_store_seconds(machine_, case_.kernel, row.world,
                               shifted ? TileOrder::shifted : TileOrder::naive);
  }

  const MeasuredMachine& machine_;
  const MeasuredCase& case_;
};

}  // namespace

double estimated(const MeasuredMachine& machine, const MeasuredCase& c) {
  return (c.unit == "us" || c.unit == "MB" ? 1e6 : 1) * std::visit(EstimatedRow(machine, c), c.row);
}

}  // namespace t3sim
