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

bool stores_to_owner(std::string_view op) {
  return op.starts_with("fused_a2a_naive") || op.starts_with("fused_a2a_shifted");
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
  to.cases.push_back(case_of(row, kind, kernel_of(row), "Triton"));
}

}  // namespace t3sim
