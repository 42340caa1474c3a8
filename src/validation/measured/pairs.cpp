#include "validation/measured/pairs.h"

#include <fmt/format.h>

#include <list>
#include <map>

namespace t3sim {
namespace {

// Of the slower to the faster. Readings of one row differ by 2 to 4 %; a factor of two anybody foresees.
constexpr double kDraw = 1.05, kObvious = 2;

// What a case is one answer to. Two cases make a pair if `work` is the same and the answers are not.
struct Choice {
  std::string work, answer;
};

std::string shape_of_pair(const GemmShape& s) { return fmt::format("{}x{}x{}", s.m, s.n, s.k); }

Choice choice(const CollectiveRow& row) {
  return {fmt::format("{} {} {}", row.op, row.world, row.bytes), row.tag};
}
Choice choice(const FusedRow& row) {
  const bool summed = row.op == "seq_rs" || row.op.ends_with("then_reduce");
  return {fmt::format("{} {} {} {} tile {}x{}", summed, row.world, row.tp, shape_of_pair(row.shape),
                      row.tile_m, row.tile_n),
          row.op};
}
Choice choice(const OverlapRow& row) {
  if (row.op == "gemm") return {};
  return {fmt::format("{} {} {} {}", row.tag, row.world, row.tp, shape_of_pair(row.shape)), row.op};
}
Choice choice(const TimelineCaseRow& row) {
  return {shape_of_pair(row.shape), fmt::format("{}x{}x{}", row.tile_m, row.tile_n, row.tile_k)};
}
Choice choice(const EmbeddingRow& row) {
  if (!row.saving || row.occupancy == 0) return {};
  return {fmt::format("{} {} {} {} {} {} at {}", row.world, row.tables, row.rows, row.batch, row.pooling,
                      row.zipf, row.workgroups),
          row.op};
}
// Methods of Flux's paper: who gathers, and whether the GEMM waits for it. A row that has no part of its own is none.
Choice choice(const GatherGemmRow& row) {
  const bool sequential = row.op.starts_with("nccl_then") || row.op.starts_with("copy_then");
  const bool fused = row.op.starts_with("fused_p") && !row.op.ends_with("_no_barrier");
  const std::string method = sequential                                  ? "sequential"
                             : fused                                     ? "flux"
                             : row.op == "torch_fused_all_gather_matmul" ? "medium-grained"
                                                                         : "";
  return {method.empty() ? "" : fmt::format("{} {}", row.world, shape_of_pair(row.shape)), method};
}
// FiCCO's schedules; of whom speed-ups over one after the other are compared.
Choice choice(const ScheduleRow& row) {
  if (row.kind != "schedule" || !row.speed_up) return {};
  return {fmt::format("{} {} {}", row.world, shape_of_pair(row.shape), row.zeros), row.op};
}
template <class Row>
Choice choice(const Row&) {
  return {};
}

// Of the rows that a pair is made of.
const char* question(const CollectiveRow&, const CollectiveRow&) { return "channels"; }
const char* question(const OverlapRow& a, const OverlapRow& b) {
  return a.op == "fused" || b.op == "fused" ? "GEMM + reduce-scatter in pieces or not" : "one stream or two";
}
const char* question(const TimelineCaseRow&, const TimelineCaseRow&) { return "tile"; }
const char* question(const FusedRow& a, const FusedRow& b) {
  return a.op.starts_with("seq") || b.op.starts_with("seq") ? "fused or in sequence" : "order of tiles";
}
const char* question(const EmbeddingRow&, const EmbeddingRow&) { return "order of bags"; }
const char* question(const GatherGemmRow&, const GatherGemmRow&) { return "overlap of all-gather and GEMM"; }
const char* question(const ScheduleRow&, const ScheduleRow&) { return "FiCCO's schedules"; }
template <class A, class B>
const char* question(const A&, const B&) {
  return nullptr;
}

// How much longer the second takes; the rows of schedules have speed-ups.
double ratio_of(double first, double second, CaseKind kind) {
  return kind == CaseKind::ficco_schedules ? first / second : second / first;
}

void compare(const MeasuredCase& a, const MeasuredCase& b, std::vector<MeasuredPair>& pairs) {
  const double slower_b = ratio_of(a.measured, b.measured, a.kind);
  const MeasuredCase &faster = slower_b >= 1 ? a : b, &slower = slower_b >= 1 ? b : a;
  const double ratio = ratio_of(faster.measured, slower.measured, a.kind);
  const char* asked = std::visit([](const auto& x, const auto& y) { return question(x, y); }, a.row, b.row);
  if (!asked || ratio < kDraw || ratio > kObvious) return;
  pairs.push_back({asked, faster.id, slower.id, ratio, ratio_of(faster.ours, slower.ours, a.kind),
                   a.calibration || b.calibration});
}

// What the speed-ups of a shape's schedules are over, as one more of them.
MeasuredCase one_after_the_other(const MeasuredCase& schedule) {
  ScheduleRow row = std::get<ScheduleRow>(schedule.row);
  MeasuredCase serial = schedule;
  serial.id = fmt::format("serial world {} {} {}", row.world, row.name, shape_of_pair(row.shape));
  serial.measured = serial.ours = 1;
  serial.calibration = false;
  row.op = "serial";
  row.speed_up = 1;
  serial.row = std::move(row);
  return serial;
}

}  // namespace

std::vector<MeasuredPair> measured_pairs(const std::vector<MeasuredCase>& cases) {
  using Answer = std::pair<std::string, const MeasuredCase*>;
  std::map<std::pair<std::size_t, std::string>, std::vector<Answer>> groups;
  for (const MeasuredCase& c : cases) {
    if (in_points(c.kind)) continue;  // its row's time is compared
    if (c.kind == CaseKind::gemm_time && !std::holds_alternative<TimelineCaseRow>(c.row)) continue;
    const Choice found = std::visit([](const auto& row) { return choice(row); }, c.row);
    if (!found.answer.empty())
      groups[{c.row.index(), fmt::format("{} on {} {}", found.work, c.machine, c.place().gpu)}].emplace_back(
          found.answer, &c);
  }
  std::list<MeasuredCase> serial;
  for (auto& [key, members] : groups)
    if (members[0].second->kind == CaseKind::ficco_schedules)
      members.emplace_back("serial", &serial.emplace_back(one_after_the_other(*members[0].second)));
  std::vector<MeasuredPair> pairs;
  for (const auto& [key, members] : groups)
    for (std::size_t i = 0; i < members.size(); ++i)
      for (std::size_t j = i + 1; j < members.size(); ++j)
        if (members[i].first != members[j].first) compare(*members[i].second, *members[j].second, pairs);
  return pairs;
}

}  // namespace t3sim
