#include "validation/flux/flux_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/csv.h"
#include "base/error.h"
#include "base/number.h"
#include "results/text_table.h"

namespace t3sim::flux {
namespace {

constexpr double kTotalGoal = 0.10, kEfficiencyGoal = 10;  // share; points

Pattern pattern_named(const CsvTable& table, std::size_t column) {
  for (const Pattern pattern : kPatterns)
    if (table.text(column) == to_string(pattern)) return pattern;
  table.fail(fmt::format("pattern \"{}\"; allowed: gather, scatter", table.text(column)));
}

std::string text_of(const std::vector<Row>& rows) {
  TextTable table;
  table.cells({"machine", "pattern", "m", "method", "us", "+-", "efficiency %"});
  for (const Row& r : rows) {
    const bool part = r.method == Method::gemm || r.method == Method::collective;
    table.row();
    table.cells({r.of.machine, std::string(to_string(r.of.pattern)), std::to_string(r.of.m),
                 std::string(to_string(r.method)), fmt::format("{:.1f}", r.us),
                 r.sample_error_us == 0 ? "" : fmt::format("{:.1f}", r.sample_error_us),
                 part ? "" : fmt::format("{:.0f}", 100 * r.efficiency())});
  }
  return table.text();
}

std::string csv_of(const std::vector<Row>& rows) {
  std::string csv = "machine,pattern,m,method,us,sample_error_us,gemm_us,collective_us,efficiency_pct\n";
  for (const Row& r : rows)
    csv += fmt::format("{},{},{},{},{:.2f},{:.2f},{:.2f},{:.2f},{:.1f}\n", r.of.machine,
                       to_string(r.of.pattern), r.of.m, to_string(r.method), r.us, r.sample_error_us,
                       r.gemm_us, r.collective_us, 100 * r.efficiency());
  return csv;
}

// One of the numbers that are published, and ours.
struct Total {
  std::string what;
  double published = 0, ours = 0;
  double off() const { return 100 * (ours / published - 1); }
  bool hits() const { return std::abs(off()) <= 100 * kTotalGoal; }
};

std::vector<Total> totals_of(const Published& p, const Row& fused) {
  return {{"fused", 1e3 * p.fused_ms, fused.us},
          {"one after the other", 1e3 * p.separate_ms, fused.gemm_us + fused.collective_us},
          {"GEMM", 1e3 * p.gemm_ms, fused.gemm_us}};
}

double efficiency_of(const Published& p) {
  return 100 * (1 - (p.fused_ms - p.gemm_ms) / (p.separate_ms - p.gemm_ms));
}

// Adds what is published of a case, beside ours.
void add_totals(Report& report, TextTable& table, const Published& p, const Row& fused) {
  const auto add = [&](const std::string& what, double published, double ours, const std::string& off,
                       bool hits) {
    const std::string verdict = hits ? "hit" : "miss";
    table.row();
    table.cells({p.of.machine, std::string(to_string(p.of.pattern)), what, fmt::format("{:.0f}", published),
                 fmt::format("{:.0f}", ours), off, verdict});
    report.totals_csv += fmt::format("{},{},{},{},{:.1f},{:.1f},{},{}\n", p.of.machine,
                                     to_string(p.of.pattern), p.of.m, what, published, ours, off, verdict);
    report.passed &= hits;
  };
  for (const Total& t : totals_of(p, fused))
    add(t.what + " us", t.published, t.ours, fmt::format("{:+.1f} %", t.off()), t.hits());
  const double published = efficiency_of(p), ours = 100 * fused.efficiency();
  add("efficiency %", published, ours, fmt::format("{:+.0f} points", ours - published),
      std::abs(ours - published) <= kEfficiencyGoal);
}

}  // namespace

const Row* find(const std::vector<Row>& rows, const Case& c, Method method) {
  const auto it = std::ranges::find_if(rows, [&](const Row& r) { return r.of == c && r.method == method; });
  return it == rows.end() ? nullptr : &*it;
}

std::vector<Published> read_published(const std::string& path) {
  CsvTable table(path);
  table.expect("machine,pattern,m,fused_ms,separate_ms,gemm_ms,source");
  std::vector<Published> all;
  while (table.next_row())
    all.push_back({{table.text(0), pattern_named(table, 1), narrow<std::uint32_t>(table.number(2))},
                   table.real(3),
                   table.real(4),
                   table.real(5)});
  return all;
}

Simulated simulate(const std::vector<Run>& runs, const paper::PointOptions& options) {
  paper::Points points;
  std::vector<paper::PointId> ids;
  for (const Run& run : runs) ids.push_back(points.add(configure(run.of, run.method)));
  points.run(options);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const paper::PointResult& result = points[ids[i]];
    rows.push_back(
        {runs[i].of, runs[i].method, result.schemes.begin()->second.time_us, result.sample_error_us});
  }
  for (Row& row : rows) {
    const Row *gemm = find(rows, row.of, Method::gemm), *collective = find(rows, row.of, Method::collective);
    row.gemm_us = gemm->us;
    row.collective_us = collective->us;
  }
  return {std::move(rows), points.kept_lines()};
}

Report report_of(const std::vector<Row>& rows, const std::vector<Published>& published) {
  Report report;
  report.runs_csv = csv_of(rows);
  report.totals_csv = "machine,pattern,m,what,published,ours,off,verdict\n";
  TextTable table;
  table.cells({"machine", "pattern", "m = 4096", "published", "ours", "off", ""});
  for (const Published& p : published)
    if (const Row* fused = find(rows, p.of, Method::fused)) add_totals(report, table, p, *fused);
  report.text =
      text_of(rows) +
      "\nThe GEMM alone runs on one GPU, as all do the same; what does not overlap is its time and the "
      "collective's.\n+-: of runs that were sampled (run.sampling), by how much the line through the short "
      "ones bends.\n\n" +
      table.text();
  return report;
}

}  // namespace t3sim::flux
