// Rows of a GEMM and a collective: one after the other, beside each other, in one kernel.
#include <fmt/format.h>

#include "validation/measured/row_cases.h"

namespace t3sim {
namespace {

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

// What a row gains, as a case beside that of its time.
void add_share(MeasuredCase c, CaseKind kind, const std::optional<double>& share, const CaseSink& to) {
  if (!share) return;
  c.kind = kind;
  c.reading = c.id;
  c.id += kind == CaseKind::overlap_efficiency ? ", efficiency" : ", saving";
  c.unit = "%";
  c.measured = 100 * *share;
  to.cases.push_back(std::move(c));
}

bool stores_to_owner(std::string_view op) {
  return op.starts_with("fused_a2a_naive") || op.starts_with("fused_a2a_shifted");
}

}  // namespace

void cases_of(const OverlapRow& row, const CaseSink& to) {
  const bool seq = row.op == "seq", conc = row.op == "conc", gemm = row.op == "gemm";
  const bool pieces = row.op == "fused";
  if (!seq && !conc && !gemm && !pieces) {
    ++to.left_out[fmt::format("overlap, {}", row.op)];
    return;
  }
  const std::optional<LibraryGemm> kernel = to.names.find(row.shape);
  if (!kernel) {
    ++to.left_out["overlap rows of shapes for which cuBLAS takes other kernels"];
    return;
  }
  const CaseKind kind = seq      ? CaseKind::sequential
                        : conc   ? CaseKind::two_streams
                        : pieces ? CaseKind::medium_grained
                                 : CaseKind::gemm_time;
  MeasuredCase c = case_of(row, kind, *kernel, pieces ? "PyTorch" : "cuBLAS");
  if (conc) c.quantity = kernel->persistent ? "persistent" : "not persistent";
  to.cases.push_back(c);
  add_share(c, CaseKind::overlap_efficiency, row.efficiency, to);
}

void cases_of(const FusedRow& row, const CaseSink& to) {
  const bool seq = row.op == "seq_rs" || row.op == "seq_a2a", gemm = row.op == "gemm";
  if (!seq && !gemm && !stores_to_owner(row.op)) {
    ++to.left_out[fmt::format("fused stores, {}", row.op)];
    return;
  }
  if (!aligned_for_triton(row.shape)) {
    ++to.left_out[std::string(kMisalignedTriton)];
    return;
  }
  const CaseKind kind = seq ? CaseKind::sequential : gemm ? CaseKind::gemm_time : CaseKind::fused_store;
  const MeasuredCase c = case_of(row, kind, kernel_of(row), "Triton");
  to.cases.push_back(c);
  add_share(c, CaseKind::overlap_efficiency, row.efficiency, to);
  add_share(c, CaseKind::gemm_a2a_saving, row.saving, to);
}

}  // namespace t3sim
