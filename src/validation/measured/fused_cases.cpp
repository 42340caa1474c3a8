// Cases of fused operators on real GPUs. All of them are runs of programs.
#include <fmt/format.h>

#include "validation/measured/row_cases.h"

namespace t3sim {
namespace {

constexpr std::uint32_t kLargeTable = 1'000'000;  // rows: those that a run draws are seldom drawn again

template <class Row>
MeasuredCase case_of(CaseKind kind, std::string id, double measured, const Row& row) {
  MeasuredCase c;
  c.kind = kind;
  c.id = std::move(id);
  c.unit = "us";
  c.measured = measured * 1e6;
  c.row = row;
  return c;
}

// What a row saves, beside its time, whose id is `reading`.
template <class Row>
MeasuredCase saving_of(CaseKind kind, const std::string& id, std::string reading, double saved,
                       const Row& row) {
  MeasuredCase c = case_of(kind, id + ", saving", 0, row);
  c.reading = std::move(reading);
  c.unit = "%";
  c.measured = 100 * saved;
  return c;
}

}  // namespace

void cases_of(const EmbeddingRow& row, const CaseSink& to) {
  if (!embedding_program(row)) {
    ++to.left_out[fmt::format("embedding, {}", row.op)];
    return;
  }
  // Measured again it is by 45 % longer or shorter: there is nothing to judge.
  if (row.tables == 256 && row.rows == 20'000) {
    ++to.left_out["embedding, 256 tables of 20,000 rows, whose time swings by 45 %"];
    return;
  }
  std::string id = fmt::format("{} world {} {} tables of {} batch {} zipf {}", row.op, row.world, row.tables,
                               row.rows, row.batch, row.zipf);
  if (row.occupancy != 0) id += fmt::format(" at {} %", row.occupancy);
  const bool cached = row.zipf != 0 || row.rows < kLargeTable;
  to.cases.push_back(
      case_of(cached ? CaseKind::embedding_cached : CaseKind::embedding, id, row.seconds, row));
  if (row.saving && row.baseline_workgroups != 0)
    to.cases.push_back(saving_of(CaseKind::embedding_saving, id, id, *row.saving, row));
}

void cases_of(const GemvRow& row, const CaseSink& to) {
  if (!gemv_program(row)) {
    ++to.left_out[fmt::format("GEMV + all-reduce, {}", row.op)];
    return;
  }
  const std::string shape = fmt::format("{} world {} {}x{}", row.op, row.world, row.m, row.k);
  const std::string id =
      row.choice.workgroups == 0 ? shape : fmt::format("{} rows {}", shape, row.choice.rows_per_wavefront);
  to.cases.push_back(case_of(CaseKind::gemv, id, row.seconds, row));
  if (row.saving) to.cases.push_back(saving_of(CaseKind::gemv_saving, shape, id, *row.saving, row));
}

}  // namespace t3sim
