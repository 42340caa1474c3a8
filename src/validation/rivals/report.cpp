#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/number.h"
#include "results/text_table.h"
#include "validation/rivals/rivals.h"

namespace t3sim::rivals {
namespace {

std::string number(double value) { return fmt::format("{:.1f}", value); }

std::string speedup_of(const std::vector<Row>& rows, const Row& row) {
  const Row* sequential = sequential_of(rows, row);
  return !sequential || row.alone() || !row.refused.empty() ? ""
                                                            : fmt::format("{:.3f}", sequential->us / row.us);
}

void add_line(TextTable& table, const std::vector<Row>& rows, const Row& row) {
  table.row();
  if (!row.refused.empty()) {
    table.cells({machine_text(row), row.shape, row.method, "n/a", "", "", "", "", "", "", "", "", "", "", "",
                 "", "", row.refused});
    return;
  }
  const auto part = [&](double Parts::*of) -> std::string {
    if (row.alone()) return "";
    return row.parts ? number((*row.parts).*of) : "-";
  };
  table.cells({machine_text(row), row.shape, row.method, number(row.us), speedup_of(rows, row),
               row.alone() ? "" : number(row.us - row.ideal_us()), part(&Parts::decomposition_us),
               part(&Parts::lost_cus_us), part(&Parts::contention_us), part(&Parts::waiting_us),
               part(&Parts::link_us), part(&Parts::launch_us), part(&Parts::barriers_us),
               part(&Parts::tail_us), number(row.held_cus), number(real(row.link_bytes) / 1e6),
               number(real(row.dram_bytes) / 1e6),
               row.hardware.empty() ? row.program : fmt::format("{} ({})", row.program, row.hardware)});
}

std::string csv_of(const std::vector<Row>& rows) {
  std::string csv =
      "system,links,shape,pattern,method,us,sample_error_us,speedup,ideal_us,gap_us,"
      "decomposition_us,lost_cus_us,contention_us,waiting_us,link_us,launch_us,barriers_us,tail_us,"
      "efficiency_pct,held_cus,"
      "link_bytes,dram_bytes,hardware,program,not_available\n";
  for (const Row& r : rows) {
    csv += fmt::format("{},{},{},{},{},", r.system, r.links, r.shape, to_string(r.pattern), r.method);
    if (!r.refused.empty()) {
      csv += fmt::format(",,,,,,,,,,,,,,,,,{},,\"{}\"\n", r.hardware, r.refused);
      continue;
    }
    const auto part = [&](double Parts::*of) { return r.parts ? fmt::format("{:.2f}", (*r.parts).*of) : ""; };
    csv += fmt::format("{:.2f},{:.2f},{},{:.2f},{:.2f},{},{},{},{},{},{},{},{},{:.1f},{:.1f},{},{},{},{},\n",
                       r.us, r.sample_error_us, speedup_of(rows, r), r.ideal_us(), r.us - r.ideal_us(),
                       part(&Parts::decomposition_us), part(&Parts::lost_cus_us), part(&Parts::contention_us),
                       part(&Parts::waiting_us), part(&Parts::link_us), part(&Parts::launch_us),
                       part(&Parts::barriers_us), part(&Parts::tail_us), 100 * r.efficiency(), r.held_cus,
                       r.link_bytes, r.dram_bytes, r.hardware, r.program);
  }
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
    if (row.alone() || row.ideal() || row.another_array() || !row.refused.empty()) continue;
    const auto same = [&](const auto& w) { return w.first->beside(row); };
    auto it = std::ranges::find_if(winners, same);
    if (it == winners.end()) it = winners.insert(it, {&row, {}});
    it->second.offer(row);
  }
  return winners;
}

// The largest part of what the fastest is still behind.
std::string stopped_by(const Row& row) {
  if (!row.parts) return "-";
  const Parts& of = *row.parts;
  const std::pair<double, const char*> parts[] = {{of.decomposition_us, "pieces and sums"},
                                                  {of.lost_cus_us, "CUs that collectives hold"},
                                                  {of.contention_us, "contention"},
                                                  {of.waiting_us, "workgroups that poll"},
                                                  {of.link_us, "links"},
                                                  {of.launch_us, "launches"},
                                                  {of.barriers_us, "barriers"},
                                                  {of.tail_us, "the last GPU"}};
  return std::ranges::max(parts).second;
}

std::string winners_csv(const std::vector<Row>& rows) {
  std::string csv =
      "system,links,shape,pattern,gemm_us,communication_us,today,today_speedup,today_over_ideal_us,"
      "today_stopped_by,fastest,fastest_speedup\n";
  for (const auto& [row, best] : winners_of(rows)) {
    csv += fmt::format("{},{},{},{},{:.1f},{:.1f},", row->system, row->links, row->shape,
                       to_string(row->pattern), row->gemm_us, row->communication_us);
    csv += best.today ? fmt::format("{},{},{:.1f},{},", best.today->method, speedup_of(rows, *best.today),
                                    best.today->us - best.today->ideal_us(), stopped_by(*best.today))
                      : ",,,,";
    csv += fmt::format("{},{}\n", best.any->method, speedup_of(rows, *best.any));
  }
  return csv;
}

std::string winners_text(const std::vector<Row>& rows) {
  TextTable table;
  table.cells({"machine", "shape", "fastest of today", "speed-up", "efficiency %", "stopped by",
               "with T3's hardware", "speed-up"});
  for (const auto& [row, best] : winners_of(rows)) {
    table.row();
    const Row* today = best.today;
    table.cells({machine_text(*row), row->shape, today ? today->method : "-",
                 today ? speedup_of(rows, *today) : "",
                 today ? fmt::format("{:.0f}", 100 * today->efficiency()) : "",
                 today ? stopped_by(*today) : "", best.any->hardware.empty() ? "-" : best.any->method,
                 best.any->hardware.empty() ? "" : speedup_of(rows, *best.any)});
  }
  return table.text();
}

}  // namespace

Report report_of(const std::vector<Row>& rows) {
  Report report;
  report.runs_csv = csv_of(rows);
  report.winners_csv = winners_csv(rows);
  report.broken = broken_checks(rows);
  TextTable table;
  table.cells({"machine", "shape", "method", "us", "speed-up", "over ideal", "pieces", "lost CUs",
               "contention", "waiting", "link", "launch", "barrier", "tail", "CUs", "sent MB", "DRAM MB",
               ""});
  for (const Row& row : rows) add_line(table, rows, row);
  report.text =
      table.text() +
      "\nSpeed-up: against sequential. Over ideal: us over the longer one of GEMM and communication, each "
      "alone, and its\nparts: pieces and sums alone; CUs that collectives hold; the rest of kernels beside "
      "others; workgroups that poll;\ncommunication beside no kernel, and stores that links hold up; "
      "launches; barriers; the last GPU after the mean one.\n-: a formula over runs, or a sample that does "
      "not say. CUs: that collectives hold.\n\n" +
      winners_text(rows);
  for (const std::string& sentence : report.broken) report.text += "\nBroken: " + sentence;
  if (!report.broken.empty()) report.text += "\n";
  return report;
}

}  // namespace t3sim::rivals
