#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/number.h"
#include "results/text_table.h"
#include "validation/rivals/rivals.h"

namespace t3sim::rivals {
namespace {

constexpr double kBelowBound = 0.02, kBytesApart = 0.01;

bool is_alone(const Row& row) { return row.method.ends_with(" alone"); }

std::string number(double value) { return fmt::format("{:.1f}", value); }

const Row* sequential_of(const std::vector<Row>& rows, const Row& row) {
  const auto it = std::ranges::find_if(rows, [&](const Row& r) {
    return r.system == row.system && r.shape == row.shape && r.method == "sequential" && r.refused.empty();
  });
  return it == rows.end() ? nullptr : &*it;
}

std::string speedup_of(const std::vector<Row>& rows, const Row& row) {
  const Row* sequential = sequential_of(rows, row);
  return !sequential || is_alone(row) || !row.refused.empty()
             ? ""
             : fmt::format("{:.3f}", sequential->us / row.us);
}

void add_line(TextTable& table, const std::vector<Row>& rows, const Row& row) {
  table.row();
  if (!row.refused.empty()) {
    table.cells({row.system, row.shape, row.method, "n/a", "", "", "", "", "", row.refused});
    return;
  }
  const auto part = [&](double Row::Parts::*of) {
    return row.parts ? number((*row.parts).*of) : std::string("-");
  };
  table.cells({row.system, row.shape, row.method, number(row.us), speedup_of(rows, row),
               is_alone(row) ? "" : number(row.us - row.ideal_us()),
               is_alone(row) ? "" : part(&Row::Parts::kernels_us),
               is_alone(row) ? "" : part(&Row::Parts::exposed_us),
               is_alone(row) ? "" : part(&Row::Parts::idle_us), row.program});
}

std::string csv_of(const std::vector<Row>& rows) {
  std::string csv =
      "system,shape,pattern,method,us,sample_error_us,speedup,ideal_us,gap_us,kernels_us,exposed_us,idle_us,"
      "efficiency_pct,link_bytes,dram_bytes,program,not_available\n";
  for (const Row& r : rows) {
    const auto part = [&](double Row::Parts::*of) {
      return r.parts ? fmt::format("{:.2f}", (*r.parts).*of) : "";
    };
    if (!r.refused.empty()) {
      csv += fmt::format("{},{},{},{},,,,,,,,,,,,,\"{}\"\n", r.system, r.shape, to_string(r.pattern),
                         r.method, r.refused);
      continue;
    }
    csv += fmt::format("{},{},{},{},{:.2f},{:.2f},{},{:.2f},{:.2f},{},{},{},{:.1f},{},{},{},\n", r.system,
                       r.shape, to_string(r.pattern), r.method, r.us, r.sample_error_us, speedup_of(rows, r),
                       r.ideal_us(), r.us - r.ideal_us(), part(&Row::Parts::kernels_us),
                       part(&Row::Parts::exposed_us), part(&Row::Parts::idle_us), 100 * r.efficiency(),
                       r.link_bytes, r.dram_bytes, r.program);
  }
  return csv;
}

// Nothing is faster than its GEMM on the machine's CUs and than its data over the links.
void check_bound(const Row& row, std::vector<std::string>& broken) {
  if (is_alone(row) || !row.refused.empty()) return;
  const double bound = std::max(row.gemm_us, row.link_us);
  if (row.us + row.sample_error_us < (1 - kBelowBound) * bound)
    broken.push_back(fmt::format("{} {} {} takes {:.1f} us, less than its bound of {:.1f} us", row.system,
                                 row.shape, row.method, row.us, bound));
}

// What is moved is the same, whoever moves it: signals aside.
void check_bytes(const std::vector<Row>& rows, const Row& row, std::vector<std::string>& broken) {
  const Row* sequential = sequential_of(rows, row);
  if (!sequential || is_alone(row) || !row.refused.empty()) return;
  const double apart = real(row.link_bytes) / real(sequential->link_bytes) - 1;
  if (std::abs(apart) > kBytesApart)
    broken.push_back(fmt::format("{} {} {} puts {:+.1f} % of bytes on its links, against sequential",
                                 row.system, row.shape, row.method, 100 * apart));
}

// Who is fastest, of each machine and shape.
std::string winners(const std::vector<Row>& rows) {
  std::map<std::pair<std::string, std::string>, const Row*> best;
  for (const Row& row : rows) {
    if (is_alone(row) || !row.refused.empty()) continue;
    const Row*& so_far = best[{row.system, row.shape}];
    if (!so_far || row.us < so_far->us) so_far = &row;
  }
  TextTable table;
  table.cells({"machine", "shape", "fastest", "speed-up", "efficiency %"});
  for (const auto& [where, row] : best) {
    table.row();
    table.cells({where.first, where.second, row->method, speedup_of(rows, *row),
                 fmt::format("{:.0f}", 100 * row->efficiency())});
  }
  return table.text();
}

}  // namespace

Report report_of(const std::vector<Row>& rows) {
  Report report;
  report.runs_csv = csv_of(rows);
  TextTable table;
  table.cells(
      {"machine", "shape", "method", "us", "speed-up", "over ideal", "kernels", "exposed", "idle", ""});
  for (const Row& row : rows) {
    add_line(table, rows, row);
    check_bound(row, report.broken);
    check_bytes(rows, row, report.broken);
  }
  report.text =
      table.text() +
      "\nSpeed-up: against sequential. Over ideal: us over the longer one of GEMM and communication, each "
      "alone. "
      "Kernels,\nexposed, idle: us over the GEMM alone in kernels, in communication beside none, in "
      "neither; T3's stages do not say.\n\n" +
      winners(rows);
  for (const std::string& sentence : report.broken) report.text += "\nBroken: " + sentence;
  if (!report.broken.empty()) report.text += "\n";
  return report;
}

}  // namespace t3sim::rivals
