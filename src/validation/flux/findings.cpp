#include "validation/flux/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/csv.h"
#include "base/number.h"
#include "results/text_table.h"

namespace t3sim::flux {
namespace {

constexpr double kRangePoints = 8, kMeanPoints = 12;
constexpr std::uint32_t kRows[] = {64, 512, 1024, 2048, 4096, 8192};  // m of the figures

Method method_named(const CsvTable& table, std::size_t column) {
  for (const Method method : {Method::fused, Method::medium})
    if (table.text(column) == to_string(method)) return method;
  table.fail(fmt::format("method \"{}\"; allowed: fused, medium", table.text(column)));
}

// Of the settings of TransformerEngine that were run the fastest one: the paper's numbers are of the best.
const Row* best(const std::vector<Row>& rows, const Case& c, Method method) {
  const Row* row = find(rows, c, method);
  const Row* other = method == Method::medium ? find(rows, c, Method::pairs) : nullptr;
  return row && other && other->us < row->us ? other : row;
}

// Of a method in all cases of a machine and a range of m; empty if one is missing. Stores of small m on Ampere are (cases.cpp).
std::vector<const Row*> whole(const std::vector<Row>& rows, const std::string& machine, Method method,
                              std::uint32_t first_m, std::uint32_t last_m) {
  std::vector<const Row*> all;
  for (const std::uint32_t m : kRows)
    for (const Pattern pattern : kPatterns) {
      if (m < first_m || m > last_m) continue;
      const Row* row = best(rows, {machine, pattern, m}, method);
      if (!row) return {};
      all.push_back(row);
    }
  return all;
}

std::string verdict(bool hit) { return hit ? "hit" : "miss"; }

void add_range(const std::vector<Row>& rows, const Range& range, std::vector<Finding>& findings) {
  std::vector<double> shares;
  for (const Row* row : whole(rows, range.machine, range.method, range.first_m, range.last_m))
    shares.push_back(100 * row->efficiency());
  if (shares.empty()) return;
  const auto [low, high] = std::ranges::minmax(shares);
  const bool asked = range.method == Method::fused && range.first_m >= 1024;
  const std::string of =
      fmt::format("{}, {}, m {} to {}", range.machine, to_string(range.method), range.first_m, range.last_m);
  findings.push_back(
      {of + ": efficiency, %", fmt::format("{} to {}", range.low, range.high),
       fmt::format("{:.0f} to {:.0f}", low, high),
       asked ? verdict(low >= range.low - kRangePoints && high <= range.high + kRangePoints) : "beside"});
  if (!range.mean) return;
  const double mean = std::accumulate(shares.begin(), shares.end(), 0.0) / real(shares.size());
  const bool in_its_range = *range.mean >= range.low && *range.mean <= range.high;
  findings.push_back(
      {of + ": mean, %", fmt::format("{}", *range.mean), fmt::format("{:.0f}", mean),
       asked && in_its_range ? verdict(std::abs(mean - *range.mean) <= kMeanPoints) : "beside"});
}

// The least that the fused operator is faster by than the medium-grained one.
void add_lead(const std::vector<Row>& rows, const std::string& machine, std::vector<Finding>& findings) {
  double least = 0, most = 0;
  const std::vector<const Row*> fused = whole(rows, machine, Method::fused, 1024, 8192);
  for (const Row* row : fused) {
    const Row* medium = best(rows, row->of, Method::medium);
    if (!medium) return;
    const double lead = medium->us / row->us;
    least = least == 0 ? lead : std::min(least, lead);
    most = std::max(most, lead);
  }
  if (fused.empty()) return;
  findings.push_back({machine + ": fused ahead of medium-grained, m 1024 to 8192", "everywhere",
                      fmt::format("{:.2f} to {:.2f} times", least, most), verdict(least > 1)});
}

// Both patterns of a method are slower than one after the other.
void add_negative(const std::vector<Row>& rows, const std::string& machine, Method method, std::uint32_t m,
                  std::vector<Finding>& findings) {
  const std::vector<const Row*> both = whole(rows, machine, method, m, m);
  if (both.empty()) return;
  const auto share = [&](std::size_t i) { return 100 * both[i]->efficiency(); };
  findings.push_back({fmt::format("{}, {}, m {}: gather, scatter, %", machine, to_string(method), m),
                      "negative", fmt::format("{:.0f}, {:.0f}", share(0), share(1)),
                      verdict(share(0) < 0 && share(1) < 0)});
}

}  // namespace

std::vector<Range> read_ranges(const std::string& path) {
  CsvTable table(path);
  table.expect("machine,method,rows,low_pct,high_pct,mean_pct,source");
  std::vector<Range> all;
  while (table.next_row()) {
    Range range{table.text(0), method_named(table, 1), 64, 512, table.real(3), table.real(4), std::nullopt};
    if (table.text(2) == "1024..8192")
      range.first_m = 1024, range.last_m = 8192;
    else if (table.text(2) != "64..512")
      table.fail(fmt::format("rows \"{}\"; allowed: 64..512, 1024..8192", table.text(2)));
    if (!table.text(5).empty()) range.mean = table.real(5);
    all.push_back(range);
  }
  return all;
}

std::vector<Finding> findings_of(const std::vector<Row>& rows, const std::vector<Range>& ranges) {
  std::vector<Finding> findings;
  for (const Range& range : ranges) add_range(rows, range, findings);
  for (const char* machine : {"a800-x8", "a100-pcie-x8", "a100-nvlink-x8", "h800-x8"})
    add_lead(rows, machine, findings);
  add_negative(rows, "h800-x8", Method::medium, 1024, findings);
  for (const std::uint32_t m : {64U, 512U})
    for (const Method method : {Method::fused, Method::medium})
      add_negative(rows, "h800-x8", method, m, findings);
  return findings;
}

std::string findings_csv(const std::vector<Finding>& findings) {
  std::string csv = "what,published,ours,verdict\n";
  for (const Finding& f : findings)
    csv += fmt::format("\"{}\",\"{}\",\"{}\",{}\n", f.what, f.published, f.ours, f.verdict);
  return csv;
}

std::string findings_text(const std::vector<Finding>& findings) {
  if (findings.empty()) return "";
  TextTable table;
  table.cells({"", "published", "ours", ""});
  for (const Finding& f : findings) {
    table.row();
    table.cells({f.what, f.published, f.ours, f.verdict});
  }
  return "\n" + table.text();
}

}  // namespace t3sim::flux
