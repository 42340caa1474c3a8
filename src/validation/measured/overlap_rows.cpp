// Rows of a GEMM and a collective: what those that overlap are held against.
#include <algorithm>
#include <map>

#include "validation/measured/rival_rows.h"

namespace t3sim {
namespace {

std::string problem(const OverlapRow& r) {
  return fmt::format("{} {} {} {} {}x{}x{}", r.place.gpu, r.tag, r.world, r.tp, r.shape.m, r.shape.n,
                     r.shape.k);
}
std::string problem(const FusedRow& r) {
  return fmt::format("{} {} {} {}x{}x{} in {}x{}x{}", r.place.gpu, r.world, r.tp, r.shape.m, r.shape.n,
                     r.shape.k, r.tile_m, r.tile_n, r.tile_k);
}

// Seconds of the operations of one problem, by name.
using Times = std::map<std::string, double>;

std::optional<double> efficiency(const Times& times, const char* sequence, double seconds) {
  const auto gemm = times.find("gemm"), both = times.find(sequence);
  if (gemm == times.end() || both == times.end() || both->second <= gemm->second) return std::nullopt;
  return 1 - (seconds - gemm->second) / (both->second - gemm->second);
}

// 0: there is no row of the GEMM alone.
double gemm_pause_s(const Times& times) {
  const auto gemm = times.find("gemm");
  if (gemm == times.end()) return 0;
  double gemms = 0, seconds = 0;
  for (const auto& [op, time] : times) {
    seconds += time;
    if (op != "rs" && op != "a2a" && op != "barriers") ++gemms;
  }
  return std::max(0.0, seconds / gemms - gemm->second);
}

void join(const Times& times, OverlapRow& row) {
  if (row.op == "conc" || row.op == "fused") row.efficiency = efficiency(times, "seq", row.seconds);
}
void join(const Times& times, FusedRow& row) {
  if (row.op == "fused_a2a_shifted_then_reduce") row.efficiency = efficiency(times, "seq_rs", row.seconds);
  const auto sequence = times.find("seq_a2a");
  if (sequence != times.end() && (row.op == "fused_a2a_naive" || row.op == "fused_a2a_shifted"))
    row.saving = 1 - row.seconds / sequence->second;
}

template <class Row>
void join_rows(std::vector<MeasuredRow>& rows) {
  std::map<std::string, Times> problems;
  for (const MeasuredRow& row : rows)
    if (const auto* r = std::get_if<Row>(&row)) problems[problem(*r)][r->op] = r->seconds;
  for (MeasuredRow& row : rows)
    if (auto* r = std::get_if<Row>(&row)) {
      const Times& times = problems[problem(*r)];
      join(times, *r);
      r->gemm_pause_s = gemm_pause_s(times);
    }
}

}  // namespace

void join_overlap(std::vector<MeasuredRow>& rows) {
  join_rows<OverlapRow>(rows);
  join_rows<FusedRow>(rows);
}

}  // namespace t3sim
