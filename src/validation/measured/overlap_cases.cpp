// Rows of a GEMM and a collective: one after the other, beside each other, in one kernel.
#include <fmt/format.h>

#include "validation/measured/fused_model.h"
#include "validation/measured/gemm_model.h"
#include "validation/measured/row_cases.h"

namespace t3sim {
namespace {

double channel_s(std::uint64_t ps) { return static_cast<double>(ps) * 1e-12; }

template <class Row>
MeasuredCase case_of(const Row& row, CaseKind kind, const LibraryGemm& kernel, const char* library) {
  MeasuredCase c;
  c.kind = kind;
  c.id = fmt::format("{} {} world {} {} tp {} {}x{}x{}", library, row.op, row.world, row.model, row.tp,
                     row.shape.m, row.shape.n, row.shape.k);
  c.unit = "us";
  c.measured = row.seconds * 1e6;
  c.kernel = kernel;
  c.row = row;
  return c;
}

std::uint64_t output(const GemmShape& shape) { return static_cast<std::uint64_t>(output_bytes(shape)); }

double collective_s(const MeasuredMachine& machine, CollectiveOp op, std::uint32_t world,
                    std::uint64_t bytes) {
  return collective_seconds(machine.channels(), op, world, bytes, 0);
}

// The matrix units rest while the collective runs.
double sequence_s(const MeasuredMachine& machine, const LibraryGemm& kernel, double collective) {
  GemmSurroundings around;
  around.pause_s = collective;
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

std::optional<TileOrder> order_of(std::string_view op) {
  if (op.starts_with("fused_a2a_naive")) return TileOrder::naive;
  if (op.starts_with("fused_a2a_shifted")) return TileOrder::shifted;
  return std::nullopt;
}

// Reads the part that each GPU has sent, adds, writes the sum.
double local_sum_s(const MeasuredMachine& machine, const FusedRow& row) {
  const GemmExecutionConfig& gemm = machine.config.execution.gemm;
  const double bytes = output_bytes(row.shape) * (1 + 1.0 / row.world);
  return channel_s(gemm.launch_ps) +
         bytes / (gemm.local_sum_share * machine.config.memory.peak_bytes_per_second());
}

}  // namespace

void cases_of(const OverlapRow& row, const CaseSink& to) {
  const bool seq = row.op == "seq", conc = row.op == "conc", gemm = row.op == "gemm";
  if (!seq && !conc && !gemm) {
    ++to.left_out[fmt::format("overlap, {}", row.op)];
    return;
  }
  const std::optional<LibraryGemm> kernel = to.names.find(row.shape);
  if (!kernel) {
    ++to.left_out["overlap rows of shapes for which cuBLAS takes other kernels"];
    return;
  }
  const CaseKind kind = seq ? CaseKind::sequential : conc ? CaseKind::two_streams : CaseKind::gemm_time;
  to.cases.push_back(case_of(row, kind, *kernel, "cuBLAS"));
  if (conc) to.cases.back().quantity = kernel->persistent ? "persistent" : "not persistent";
}

double ours_of(const MeasuredMachine& machine, const MeasuredCase& c, const OverlapRow& row) {
  if (c.kind == CaseKind::gemm_time) return 1e6 * gemm_timing(machine, c.kernel).seconds;
  const double rs = collective_s(machine, CollectiveOp::reduce_scatter, row.world, output(row.shape));
  return 1e6 * (c.kind == CaseKind::sequential ? sequence_s(machine, c.kernel, rs)
                                               : two_streams_s(machine, c.kernel, rs));
}

void cases_of(const FusedRow& row, const CaseSink& to) {
  const bool seq = row.op == "seq_rs" || row.op == "seq_a2a", gemm = row.op == "gemm";
  if (!seq && !gemm && !order_of(row.op)) {
    ++to.left_out[fmt::format("fused stores, {}", row.op)];
    return;
  }
  if (!aligned_for_triton(row.shape)) {
    ++to.left_out[std::string(kMisalignedTriton)];
    return;
  }
  const CaseKind kind = seq ? CaseKind::sequential : gemm ? CaseKind::gemm_time : CaseKind::fused_store;
  to.cases.push_back(case_of(row, kind, kernel_of(row), "Triton"));
}

double ours_of(const MeasuredMachine& machine, const MeasuredCase& c, const FusedRow& row) {
  if (c.kind == CaseKind::gemm_time) return 1e6 * gemm_timing(machine, c.kernel).seconds;
  if (c.kind == CaseKind::sequential) {
    const CollectiveOp op = row.op == "seq_rs" ? CollectiveOp::reduce_scatter : CollectiveOp::all_to_all;
    return 1e6 * sequence_s(machine, c.kernel, collective_s(machine, op, row.world, output(row.shape)));
  }
  const ExecutionConfig& e = machine.config.execution;
  const double sum = row.op.ends_with("then_reduce") ? local_sum_s(machine, row) : 0;
  return 1e6 * (channel_s(e.gemm.launch_ps) + 2 * channel_s(e.channel.barrier_ps) + sum +
                fused_store_seconds(machine, c.kernel, row.world, *order_of(row.op)));
}

}  // namespace t3sim
