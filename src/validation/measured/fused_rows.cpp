// Rows of fused operators: embedding + all-to-all, GEMV + all-reduce.
#include <algorithm>
#include <cmath>
#include <map>

#include "validation/measured/rival_rows.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kMost = 1 << 30;

std::uint32_t number(const CsvRow& row, const char* column) {
  return static_cast<std::uint32_t>(row.whole(column, 1, kMost));
}
std::uint32_t number_or_none(const CsvRow& row, const char* column) {
  return row.text(column).empty() ? 0 : number(row, column);
}

// "uniform", "zipf1.05": 100 times the exponent.
std::uint32_t zipf_of(const CsvRow& row) {
  constexpr std::string_view kZipf = "zipf";
  const std::string indices = row.text("indices");
  if (indices == "uniform") return 0;
  if (!indices.starts_with(kZipf)) row.fail("indices: '" + indices + "' is neither uniform nor zipfEXPONENT");
  const double exponent = row.number_of("indices", std::string_view(indices).substr(kZipf.size()));
  if (exponent <= 0 || exponent > 10)
    row.fail("indices: the exponent of '" + indices + "' is outside 0 to 10");
  return static_cast<std::uint32_t>(std::lround(100 * exponent));
}

std::string baseline_key(const EmbeddingRow& r) {
  return fmt::format("{} {} {} {} {} {} {}", r.place.gpu, r.world, r.tables, r.rows, r.batch, r.zipf,
                     r.occupancy);
}

void join_embedding(std::vector<MeasuredRow>& rows) {
  std::map<std::string, std::uint32_t> baseline;
  for (const MeasuredRow& row : rows)
    if (const auto* r = std::get_if<EmbeddingRow>(&row); r && r->op == "baseline")
      baseline[baseline_key(*r)] = r->workgroups;
  for (MeasuredRow& row : rows)
    if (auto* r = std::get_if<EmbeddingRow>(&row))
      if (const auto found = baseline.find(baseline_key(*r)); found != baseline.end())
        r->baseline_workgroups = found->second;
}

std::string shape_key(const GemvRow& r, std::string_view op) {
  return fmt::format("{} {} {} {} {}", r.place.gpu, r.world, r.m, r.k, op);
}

void join_gemv(std::vector<MeasuredRow>& rows) {
  std::map<std::string, std::vector<GemvRow*>> by_key;
  for (MeasuredRow& row : rows)
    if (auto* r = std::get_if<GemvRow>(&row)) by_key[shape_key(*r, r->op)].push_back(r);
  for (auto& [key, group] : by_key) {
    const auto library = by_key.find(shape_key(*group[0], "mv+nccl"));
    if (library == by_key.end() || !group[0]->op.starts_with("fused")) continue;
    GemvRow& best = **std::ranges::min_element(group, {}, [](const GemvRow* r) { return r->seconds; });
    best.saving = 1 - best.seconds / library->second[0]->seconds;
    for (const GemvRow* r : group) best.choices.push_back(r->choice);
  }
}

}  // namespace

MeasuredRow read_embedding(const CsvRow& row) {
  EmbeddingRow r;
  r.place = row.place();
  r.op = row.text("op");
  r.world = static_cast<std::uint32_t>(row.whole("world", 1, 255));
  r.tables = number(row, "T");
  r.rows = number(row, "rows_per_table");
  r.batch = number(row, "batch");
  r.pooling = number(row, "pooling");
  r.zipf = zipf_of(row);
  r.workgroups = number_or_none(row, "grid");
  if (!row.text("occupancy_pct").empty()) r.occupancy = row.positive("occupancy_pct");
  r.seconds = row.seconds(EmbeddingRow::kSeconds);
  if (!row.text("saving_over_baseline").empty()) r.saving = row.number("saving_over_baseline");
  return r;
}

MeasuredRow read_gemv(const CsvRow& row) {
  GemvRow r;
  r.place = row.place();
  r.op = row.text("op");
  r.world = static_cast<std::uint32_t>(row.whole("world", 2, 255));
  r.m = number(row, "rows");
  r.k = number(row, "cols");
  r.choice = {number_or_none(row, "rows_per_warp"), number_or_none(row, "grid")};
  r.seconds = row.seconds(GemvRow::kSeconds);
  return r;
}

void join_fused(std::vector<MeasuredRow>& rows) {
  join_embedding(rows);
  join_gemv(rows);
}

}  // namespace t3sim
