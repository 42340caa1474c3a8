// Rows of a GEMM beside transfers: how much each slows the other.
#include <fmt/format.h>

#include <tuple>

#include "validation/measured/row_cases.h"

namespace t3sim {
namespace {

bool by_copy_engine(const InterferenceRow& row) { return row.kind == "copy_engine"; }

}  // namespace

void cases_of(const InterferenceRow& row, const CaseSink& to) {
  const std::optional<LibraryGemm> kernel = to.names.find(row.shape);
  if (!kernel || (!by_copy_engine(row) && row.kind != "nccl_all_gather")) {
    ++to.left_out[kernel ? fmt::format("interference of {}", row.kind)
                         : "interference rows of shapes for which cuBLAS takes other kernels"];
    return;
  }
  MeasuredCase c;
  c.kind = CaseKind::interference;
  c.id = fmt::format("{} world {} beside {} {}x{}x{}", row.kind, row.world, row.model, row.shape.m,
                     row.shape.n, row.shape.k);
  c.unit = "%";
  c.kernel = *kernel;
  c.row = row;
  for (const auto& [quantity, alone, shared] :
       {std::tuple{"GEMM slowed by", row.gemm_alone_s, row.gemm_shared_s},
        std::tuple{"transfer slowed by", row.comm_alone_s, row.comm_shared_s}}) {
    c.quantity = quantity;
    c.measured = 100 * (shared / alone - 1);
    to.cases.push_back(c);
  }
}

}  // namespace t3sim
