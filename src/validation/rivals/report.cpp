#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/csv.h"
#include "base/number.h"
#include "results/text_table.h"
#include "validation/rivals/rivals.h"

namespace t3sim::rivals {
namespace {

// Of the gap, as all tables call them.
struct Part {
  const char* name;
  double Parts::*us;
};
constexpr Part kParts[] = {{"pieces", &Parts::decomposition_us},
                           {"lost CUs", &Parts::lost_cus_us},
                           {"contention", &Parts::contention_us},
                           {"waiting", &Parts::waiting_us},
                           {"link", &Parts::link_us},
                           {"hidden", &Parts::hidden_us},
                           {"launch", &Parts::launch_us},
                           {"barriers", &Parts::barriers_us},
                           {"tail", &Parts::tail_us}};

std::string number(double value) { return std::isnan(value) ? "-" : fmt::format("{:.1f}", value); }

std::string speedup_of(const std::vector<Row>& rows, const Row& row) {
  const Row* sequential = sequential_of(rows, row);
  return !sequential || row.alone() || !row.refused.empty() ? ""
                                                            : fmt::format("{:.3f}", sequential->us / row.us);
}

void add_line(TextTable& table, const std::vector<Row>& rows, const Row& row) {
  table.row();
  table.cells({machine_text(row), row.shape, row.method});
  if (!row.refused.empty()) {
    table.cells({"n/a", "", ""});
    for (std::size_t i = 0; i < std::size(kParts) + 3; ++i) table.cells({""});
    table.cells({row.refused});
    return;
  }
  table.cells({number(row.us), speedup_of(rows, row), row.alone() ? "" : number(row.us - row.ideal_us())});
  for (const Part& part : kParts)
    table.cells({row.alone() ? "" : row.parts ? number((*row.parts).*part.us) : "-"});
  table.cells({number(row.held_cus), number(real(row.link_bytes) / 1e6), number(real(row.dram_bytes) / 1e6),
               row.hardware.empty() ? row.program : fmt::format("{} ({})", row.program, row.hardware)});
}

std::string csv_of(const std::vector<Row>& rows) {
  std::string csv =
      "system,links,shape,pattern,method,us,sample_error_us,speedup,ideal_us,gap_us,"
      "pieces_us,lost_cus_us,contention_us,waiting_us,link_us,hidden_us,launch_us,barriers_us,tail_us,"
      "efficiency_pct,bound_us,held_cus,"
      "link_bytes,dram_bytes,hardware,program,not_available\n";
  for (const Row& r : rows) {
    csv += fmt::format("{},{},{},{},{},", r.system, r.links, r.shape, to_string(r.pattern), r.method);
    if (!r.refused.empty()) {
      csv += fmt::format(",,,,,,,,,,,,,,,,,,,{},,{}\n", r.hardware, csv_field(r.refused));
      continue;
    }
    csv += fmt::format("{:.2f},{:.2f},{},{:.2f},{:.2f}", r.us, r.sample_error_us, speedup_of(rows, r),
                       r.ideal_us(), r.us - r.ideal_us());
    for (const Part& part : kParts)
      csv += r.parts && !std::isnan((*r.parts).*part.us) ? fmt::format(",{:.2f}", (*r.parts).*part.us) : ",";
    csv += fmt::format(",{:.1f},{:.2f},{:.1f},{},{},{},{},\n", 100 * r.efficiency(), r.bound_us(), r.held_cus,
                       r.link_bytes, r.dram_bytes, r.hardware, csv_field(r.program));
  }
  return csv;
}

std::string candidates_csv(const std::vector<Row>& rows) {
  std::string csv = "system,links,shape,method,program,us\n";
  for (const Row& r : rows)
    for (const auto& [program, us] : r.candidates)
      csv += fmt::format("{},{},{},{},{},{:.2f}\n", r.system, r.links, r.shape, r.method, csv_field(program),
                         us);
  return csv;
}

// The fastest of a machine and shape: of all that run, and of those that machines of today can run.
struct Winner {
  const Row *any = nullptr, *today = nullptr;

  void offer(const Row& row) {
    if (!any || row.us < any->us) any = &row;
    if (row.hardware.empty() && (!today || row.us < today->us)) today = &row;
  }
};

using Winners = std::vector<std::pair<const Row*, Winner>>;  // in the order of the rows

Winners winners_of(const std::vector<Row>& rows) {
  Winners winners;
  for (const Row& row : rows) {
    if (row.alone() || row.ideal() || row.wins_nothing() || !row.refused.empty()) continue;
    const auto same = [&](const auto& w) { return w.first->beside(row); };
    auto it = std::ranges::find_if(winners, same);
    if (it == winners.end()) it = winners.insert(it, {&row, {}});
    it->second.offer(row);
  }
  return winners;
}

// The largest part of what the fastest is still behind; null: its parts are not known.
const Part* stopped_by(const Row& row) {
  if (!row.parts) return nullptr;
  return &*std::ranges::max_element(kParts, {}, [&](const Part& part) {
    const double us = (*row.parts).*part.us;
    return std::isnan(us) ? -std::numeric_limits<double>::infinity() : us;
  });
}

std::string today_csv(const std::vector<Row>& rows, const Row* today) {
  if (!today) return ",,,";
  const Part* part = stopped_by(*today);
  return fmt::format("{},{},{:.1f},{}", today->method, speedup_of(rows, *today),
                     today->us - today->ideal_us(), part ? part->name : "-");
}

std::string winners_csv(const std::vector<Row>& rows) {
  std::string csv =
      "system,links,shape,pattern,gemm_us,communication_us,today,today_speedup,today_over_ideal_us,"
      "today_stopped_by,fastest,fastest_speedup,today_stopped_by_us,fastest_hardware\n";
  for (const auto& [row, best] : winners_of(rows)) {
    const Part* part = best.today ? stopped_by(*best.today) : nullptr;
    csv += fmt::format("{},{},{},{},{:.1f},{:.1f},{},", row->system, row->links, row->shape,
                       to_string(row->pattern), row->gemm_us, row->communication_us,
                       today_csv(rows, best.today));
    csv += fmt::format("{},{},{},{}\n", best.any->method, speedup_of(rows, *best.any),
                       part ? number((*best.today->parts).*part->us) : "", best.any->hardware);
  }
  return csv;
}

// "flux", its speed-up and efficiency, and "contention, 12.3 of 27.6 us"; of none: dashes.
void add_today(TextTable& table, const std::vector<Row>& rows, const Row* today) {
  if (!today) return table.cells({"-", "", "", ""});
  const Part* part = stopped_by(*today);
  table.cells({today->method, speedup_of(rows, *today), fmt::format("{:.0f}", 100 * today->efficiency()),
               part ? fmt::format("{}, {:.1f} of {:.1f} us", part->name, (*today->parts).*part->us,
                                  today->us - today->ideal_us())
                    : "-"});
}

std::string winners_text(const std::vector<Row>& rows) {
  TextTable table;
  table.cells({"machine", "shape", "fastest of today", "speed-up", "efficiency %", "stopped by",
               "with T3's hardware", "speed-up"});
  for (const auto& [row, best] : winners_of(rows)) {
    table.row();
    table.cells({machine_text(*row), row->shape});
    add_today(table, rows, best.today);
    const bool of_today = best.any->hardware.empty();
    table.cells({of_today ? "-" : best.any->method, of_today ? "" : speedup_of(rows, *best.any)});
  }
  return table.text();
}

}  // namespace

Report report_of(const std::vector<Row>& rows) {
  Report report;
  report.runs_csv = csv_of(rows);
  report.winners_csv = winners_csv(rows);
  report.candidates_csv = candidates_csv(rows);
  report.broken = broken_checks(rows);
  TextTable table;
  table.cells({"machine", "shape", "method", "us", "speed-up", "over ideal"});
  for (const Part& part : kParts) table.cells({part.name});
  table.cells({"CUs", "sent MB", "DRAM MB", ""});
  for (const Row& row : rows) add_line(table, rows, row);
  report.text =
      table.text() +
      "\nSpeed-up: against sequential. Over ideal: us over the longer one of GEMM and communication, each "
      "alone\n(ideal-overlap), and its parts: kernels alone, over the GEMM (pieces, and sums); CUs that "
      "collectives hold;\nthe rest of kernels beside others; workgroups that poll; communication beside no "
      "kernel, and stores that\nlinks hold up; communication that the ideal shows and kernels hide here "
      "(negative); launches; barriers; the last\nGPU after the mean one. Stopped by: the largest one. -: a "
      "formula over runs, a sample that does not say, or a part\nthat is in another one. CUs: that "
      "collectives hold.\n\n" +
      winners_text(rows);
  for (const std::string& sentence : report.broken) report.text += "\nBroken: " + sentence;
  if (!report.broken.empty()) report.text += "\n";
  return report;
}

}  // namespace t3sim::rivals
