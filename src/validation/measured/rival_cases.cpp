// Cases of Flux's and FiCCO's methods on real GPUs. All of them are runs of programs: there is no estimate.
#include <fmt/format.h>

#include "validation/measured/row_cases.h"

namespace t3sim {
namespace {

MeasuredCase case_of(CaseKind kind, std::string id, const char* unit, double measured,
                     const MeasuredRow& row) {
  MeasuredCase c;
  c.kind = kind;
  c.id = std::move(id);
  c.unit = unit;
  c.measured = measured;
  c.row = row;
  return c;
}

std::string text(const GemmShape& s) { return fmt::format("{}x{}x{}", s.m, s.n, s.k); }
const char* data(bool zeros) { return zeros ? "A_zero" : "normal"; }

}  // namespace

void cases_of(const GatherGemmRow& row, const CaseSink& to) {
  if (!gather_gemm_program(row)) {
    ++to.left_out[fmt::format("all-gather + GEMM, {}", row.op)];
    return;
  }
  const std::string id = fmt::format("{} world {} {} {} chunks of {}", row.op, row.world, row.name,
                                     text(row.shape), row.comm_rows);
  to.cases.push_back(case_of(CaseKind::ag_gemm, id, "us", row.seconds * 1e6, row));
  // Sequential methods are what efficiency is measured by.
  if (!row.efficiency || row.op.find("_then_") != row.op.npos) return;
  to.cases.push_back(
      case_of(CaseKind::ag_gemm_efficiency, id + ", efficiency", "%", 100 * *row.efficiency, row));
  to.cases.back().reading = id;
}

void cases_of(const DecomposedRow& row, const CaseSink& to) {
  if (row.variant == "whole") return;
  const bool rows = row.variant.starts_with("row"), columns = row.variant.starts_with("col");
  if ((!rows && !columns) || row.whole_s == 0) {
    ++to.left_out[row.whole_s == 0 ? "decomposed GEMMs without one in one piece"
                                   : fmt::format("decomposed GEMMs, {}", row.variant)];
    return;
  }
  const CaseKind kind = rows               ? CaseKind::dil_rows
                        : row.pieces == 64 ? CaseKind::dil_cols64
                                           : CaseKind::dil_cols;
  to.cases.push_back(case_of(
      kind, fmt::format("{} {} {} {} over whole", row.variant, data(row.zeros), row.name, text(row.shape)),
      "x", row.seconds / row.whole_s, row));
}

void cases_of(const ScheduleRow& row, const CaseSink& to) {
  const std::string id = fmt::format("{} world {} {} {} {} chunks {}", row.op, row.world, data(row.zeros),
                                     row.name, text(row.shape), row.chunks);
  if (row.kind == "schedule" && row.speed_up && row.op != "serial" && schedule_program(row)) {
    to.cases.push_back(case_of(CaseKind::ficco_schedules, id, "x", *row.speed_up, row));
    return;
  }
  const bool gemms = row.op.starts_with("gemms_");
  if (row.slow_down && gemms) {
    const CaseKind kind = row.op.ends_with("nccl_all_gather") ? CaseKind::cil_nccl : CaseKind::cil_copy;
    to.cases.push_back(
        case_of(kind, fmt::format("{} {}", row.kind, id), "%", 100 * (*row.slow_down - 1), row));
    return;
  }
  if (row.op != "serial") ++to.left_out[fmt::format("schedules, {} {}", row.kind, row.op)];
}

}  // namespace t3sim
