#include "validation/measured/row_cost.h"

#include "sim/line.h"
#include "validation/measured/estimate/gemm_model.h"

namespace t3sim {
namespace {

constexpr double kSecondsPerLine = 1.5e-6;  // that a CU loads or stores
constexpr double kClocks = 2;               // at which a GEMM whose clock the power limits is run

double lines(double bytes) { return bytes / kLineBytes; }

// Loaded and stored in a pass through all of the array, of four GPUs; two do not differ by much.
double collective_lines(std::string_view op, double bytes) {
  return lines(bytes) * (op == "all_reduce" ? 5 : op == "all_to_all" ? 3.5 : 2.75);
}

class RowLines {
 public:
  RowLines(const MeasuredMachine& machine, const MeasuredCase& c) : machine_(machine), case_(c) {}

  double operator()(const CollectiveRow& row) const {
    return collective_lines(row.op, static_cast<double>(row.bytes));
  }
  double operator()(const GemmTimeRow&) const { return kClocks * gemm(); }
  double operator()(const TimelineCaseRow&) const { return kClocks * gemm(); }
  double operator()(const GemmTrafficRow&) const { return gemm(); }
  double operator()(const OverlapRow& row) const {
    const double exchange = collective_lines("", output_bytes(row.shape));
    if (case_.kind == CaseKind::two_streams) return kClocks * row.world * (gemm() + exchange);
    return kClocks * gemm() + (case_.kind == CaseKind::gemm_time ? 0 : exchange);
  }
  double operator()(const FusedRow& row) const {
    if (case_.kind == CaseKind::fused_store) return kClocks * row.world * gemm();
    return kClocks * gemm() +
           (case_.kind == CaseKind::gemm_time ? 0 : collective_lines(row.op, output_bytes(row.shape)));
  }
  double operator()(const EmbeddingRow& row) const {
    constexpr double kRowBytes = 1024;
    const double rows = double{1} * row.tables * row.batch * row.pooling * row.world;
    return lines(rows * kRowBytes) * (case_.kind == CaseKind::embedding_saving ? 2 : 1);
  }
  double operator()(const GemvRow& row) const {
    const double runs =
        case_.kind == CaseKind::gemv_saving ? 1.0 + static_cast<double>(row.choices.size()) : 1;
    return row.op == "all_reduce_nccl" ? 0 : lines(2.0 * row.m * row.k) * row.world * runs;
  }
  template <class Other>
  double operator()(const Other&) const {
    return 0;
  }

 private:
  double gemm() const {
    return lines(gemm_traffic(machine_, case_.kernel).l2_read + output_bytes(case_.kernel.shape));
  }

  const MeasuredMachine& machine_;
  const MeasuredCase& case_;
};

}  // namespace

double row_cost_s(const MeasuredMachine& machine, const MeasuredCase& c) {
  return kSecondsPerLine * std::visit(RowLines(machine, c), c.row);
}

}  // namespace t3sim
