#include "validation/fused_operators/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/number.h"
#include "results/text_table.h"
#include "validation/fused_operators/findings.h"

namespace t3sim::fused_operators {
namespace {

// At `wanted`, of the line through two points.
double on_line(std::uint64_t wanted, std::pair<std::uint64_t, double> a, std::pair<std::uint64_t, double> b) {
  return a.second + (b.second - a.second) * (real(wanted) - real(a.first)) / (real(b.first) - real(a.first));
}

Timed timed(const Measure& m, const model::PointResult& fewer, const model::PointResult& more) {
  const auto at = [&](double a, double b) {
    return m.tables == 0 ? a : on_line(m.tables, {m.fewer, a}, {m.more, b});
  };
  Timed t{m, 0, {}, fewer.sample_error_us};
  t.us = at(fewer.schemes.begin()->second.time_us, more.schemes.begin()->second.time_us);
  for (std::size_t gpu = 0; gpu < fewer.gpu_us.size(); ++gpu)
    t.gpu_us.push_back(at(fewer.gpu_us[gpu], more.gpu_us[gpu]));
  return t;
}

// The bar's time of a series; a figure's first series is what it is normalized to.
const Timed& of(const std::vector<Timed>& times, const Timed& like, const std::string& series) {
  return *std::ranges::find_if(times, [&](const Timed& t) {
    return t.measure.figure == like.measure.figure && t.measure.bar == like.measure.bar &&
           t.measure.series == series;
  });
}

double normalized(const std::vector<Timed>& times, const Timed& t) {
  switch (t.measure.figure) {
    case 13:
      return t.us / std::ranges::find(times, 13, [](const Timed& o) { return o.measure.figure; })->us;
    case 14:
      return t.us / of(times, t, "oblivious").gpu_us[0];
    default:
      return t.us / of(times, t, "baseline").us;
  }
}

std::string figure_csv(const std::vector<Timed>& times, int figure) {
  std::string csv = "bar,series,us,gpu0_us,gpu1_us,sample_error_us,normalized\n";
  for (const Timed& t : times)
    if (t.measure.figure == figure)
      csv += fmt::format("{},{},{:.2f},{:.2f},{:.2f},{:.2f},{:.4f}\n", t.measure.bar, t.measure.series, t.us,
                         t.gpu_us[0], t.gpu_us[1], t.sample_error_us, normalized(times, t));
  return csv;
}

std::string bands_csv(const std::vector<Band>& bands) {
  std::string csv = "figure,input,value,moves_mean_by_points\n";
  for (const Band& band : bands)
    for (const Band::Move& move : band.moves)
      csv += fmt::format("{},{},{},{:.2f}\n", band.figure, move.input, move.value, move.points);
  return csv;
}

std::string times_table(const std::vector<Timed>& times) {
  TextTable table;
  table.cells({"figure", "bar", "series", "us", "normalized"});
  for (const Timed& t : times) {
    table.row();
    table.cells({fmt::format("{}", t.measure.figure), t.measure.bar, t.measure.series,
                 fmt::format("{:.1f}", t.us), fmt::format("{:.3f}", normalized(times, t))});
  }
  return table.text();
}

}  // namespace

std::vector<Timed> simulate(const std::vector<Measure>& measures, const std::vector<std::string>& overrides,
                            const model::PointOptions& options) {
  model::Points points;
  std::vector<std::pair<model::PointId, model::PointId>> ids;
  for (const Measure& m : measures)
    ids.emplace_back(points.add(configure(m, m.fewer, overrides)),
                     points.add(configure(m, m.more, overrides)));
  points.run(options);
  std::vector<Timed> times;
  for (std::size_t i = 0; i < measures.size(); ++i)
    times.push_back(timed(measures[i], points[ids[i].first], points[ids[i].second]));
  return times;
}

bool Report::passed() const {
  return std::ranges::all_of(findings, [](const Finding& f) { return f.hit || !f.held; });
}

Report report_of(const std::vector<Timed>& times, const std::vector<Band>& bands) {
  Report report;
  report.findings = findings_of(times, bands);
  for (const int figure : kFigures)
    if (std::ranges::any_of(times, [&](const Timed& t) { return t.measure.figure == figure; }))
      report.files.emplace_back(fmt::format("figure{:02}.csv", figure), figure_csv(times, figure));
  if (!bands.empty()) report.files.emplace_back("bands.csv", bands_csv(bands));
  std::string csv = "what,published,ours,low,high,decides,verdict\n";
  TextTable table;
  table.cells({"what", "published", "ours", "band", ""});
  for (const Finding& f : report.findings) {
    const std::string verdict = f.held ? (f.hit ? "hit" : "miss") : "beside";
    table.row();
    table.cells({f.what, f.published, f.ours,
                 f.low.empty() ? "" : fmt::format("{} to {} ({})", f.low, f.high, f.decides), verdict});
    csv += fmt::format("\"{}\",\"{}\",\"{}\",{},{},\"{}\",{}\n", f.what, f.published, f.ours, f.low, f.high,
                       f.decides, verdict);
  }
  report.files.emplace_back("findings.csv", csv);
  report.text =
      times_table(times) + "\n" + table.text() +
      "\nEmbeddings: two runs with few tables, and the line through both. GEMMs: sampled along K.\n";
  return report;
}

}  // namespace t3sim::fused_operators
