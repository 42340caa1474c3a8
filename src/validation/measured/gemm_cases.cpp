// Rows of GEMM kernels alone: time, and traffic under the profiler.
#include <fmt/format.h>

#include "validation/measured/row_cases.h"

namespace t3sim {
namespace {

std::string shape_text(const GemmShape& s) { return fmt::format("{}x{}x{}", s.m, s.n, s.k); }

MeasuredCase gemm_case(CaseKind kind, std::string id, double measured, const LibraryGemm& kernel) {
  MeasuredCase c;
  c.kind = kind;
  c.id = std::move(id);
  c.unit = kind == CaseKind::gemm_time ? "us" : "MB";
  c.measured = measured;
  c.kernel = kernel;
  return c;
}

}  // namespace

void cases_of(const GemmTimeRow& row, const CaseSink& to) {
  if (!aligned(row.shape, row.layout)) {
    ++to.left_out["GEMMs whose rows do not begin on 16 bytes"];
    return;
  }
  const std::optional<LibraryGemm> kernel = to.names.find(row.shape);
  if (!kernel) {
    ++to.left_out["GEMM times of shapes for which cuBLAS takes other kernels"];
    return;
  }
  const std::string id =
      fmt::format("cuBLAS {} {} {} {}", row.model, row.sub, shape_text(row.shape), row.layout);
  for (const auto& [quantity, measured] : {std::pair{"cold", row.cold_s}, std::pair{"warm", row.warm_s}}) {
    MeasuredCase c = gemm_case(CaseKind::gemm_time, id, measured * 1e6, *kernel);
    c.quantity = quantity;
    c.row = row;
    to.cases.push_back(std::move(c));
  }
}

void cases_of(const TimelineCaseRow& row, const CaseSink& to) {
  if (!aligned_for_triton(row.shape)) {
    ++to.left_out[std::string(kMisalignedTriton)];
    return;
  }
  const std::string id =
      fmt::format("Triton {} tile {}x{}x{}", shape_text(row.shape), row.tile_m, row.tile_n, row.tile_k);
  MeasuredCase c = gemm_case(CaseKind::gemm_time, id, row.seconds * 1e6, kernel_of(row));
  c.row = row;
  to.cases.push_back(std::move(c));
}

void cases_of(const GemmTrafficRow& row, const CaseSink& to) {
  const std::optional<LibraryGemm> kernel = kernel_of(row);
  if (!kernel) {
    ++to.left_out["kernels that sum what split-K left"];
    return;
  }
  if (!aligned(row.shape, row.layout)) {
    ++to.left_out["GEMMs whose rows do not begin on 16 bytes"];
    return;
  }
  const std::string id = fmt::format("cuBLAS {} {} {} {} tile {}x{}", row.model, row.sub,
                                     shape_text(row.shape), row.layout, row.tile_m, row.tile_n);
  for (const auto& [kind, bytes] :
       {std::pair{CaseKind::gemm_l2_read, row.l2_read}, std::pair{CaseKind::gemm_dram_read, row.dram_read}}) {
    if (bytes == 0) continue;
    MeasuredCase c = gemm_case(kind, id, bytes * 1e-6, *kernel);
    c.row = row;
    to.cases.push_back(std::move(c));
  }
}

}  // namespace t3sim
