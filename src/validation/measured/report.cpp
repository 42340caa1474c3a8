// Files and text of t3sim validate measured.
#include <fmt/format.h>

#include <algorithm>

#include "base/csv.h"
#include "base/number.h"
#include "results/text_table.h"
#include "validation/measured/goals.h"
#include "validation/measured/validation.h"

namespace t3sim {
namespace {

using Rows = MeasuredValidation::Rows;

void add_counts(std::string& text, const MeasuredValidation& v) {
  for (const auto& [reason, rows] : v.left_out)
    text += fmt::format("left out: {} ({} row{})\n", reason, rows, rows == 1 ? "" : "s");
  for (const auto& [c, why] : v.failed)
    text += fmt::format("failed: {}:{}: {}: {}\n", c.place().file, c.place().line, c.id, why);
  if (!v.bad_rows.empty()) text += fmt::format("not readable: {} rows, named above\n", v.bad_rows.size());
}

}  // namespace

std::string measured_summary_csv(const MeasuredValidation& v) {
  std::string csv =
      "kind,rows,error_pct,worst_pct,reported_rows,reported_error_pct,target_pct,verdict,failed_rows\n";
  for (const Goal& goal : goals()) {
    const KindError all = v.error(goal.covers, Rows::all), other = v.error(goal.covers, Rows::reported);
    const auto failed =
        std::ranges::count_if(v.failed, [&](const FailedCase& f) { return goal.covers(f.of); });
    if (all.rows == 0 && failed == 0) continue;
    const bool judged = goal.pct != 0 && other.rows + narrow<std::size_t>(failed) != 0;
    const char* verdict = !judged ? "reported" : failed == 0 && other.error_pct <= goal.pct ? "pass" : "miss";
    csv += fmt::format("{},{},{:.2f},{:.2f},{},{:.2f},{},{},{}\n", goal.name, all.rows, all.error_pct,
                       all.worst_pct, other.rows, other.error_pct,
                       goal.pct == 0 ? std::string() : fmt::format("{}", goal.pct), verdict, failed);
  }
  return csv;
}

std::string measured_cases_csv(const MeasuredValidation& v) {
  std::string csv = "kind,case,quantity,measured,ours,unit,error_pct,half,file,line\n";
  for (const MeasuredCase& c : v.cases)
    csv += fmt::format("{},{},{},{:.6g},{:.6g},{},{:.2f},{},{},{}\n", to_string(c.kind), csv_field(c.id),
                       c.quantity, c.measured, c.ours, c.unit, c.error_pct(),
                       c.calibration ? "calibration" : "reported", csv_field(c.place().file), c.place().line);
  return csv;
}

std::string measured_pairs_csv(const MeasuredValidation& v) {
  std::string csv = "question,faster,slower,measured_ratio,our_ratio,verdict,use\n";
  for (const MeasuredPair& p : v.pairs)
    csv += fmt::format("{},{},{},{:.4f},{:.4f},{},{}\n", p.question, csv_field(p.faster), csv_field(p.slower),
                       p.measured_ratio, p.our_ratio, p.right() ? "right" : "wrong",
                       p.calibration ? "calibration" : "reported");
  return csv;
}

std::string measured_text(const MeasuredValidation& v) {
  TextTable table;
  table.cells({"kind", "rows", "error %", "worst %", "rows judged", "their error %", "target %"});
  for (const Goal& goal : goals()) {
    const KindError all = v.error(goal.covers, Rows::all), other = v.error(goal.covers, Rows::reported);
    if (all.rows == 0) continue;
    table.row();
    table.cells(
        {goal.name, fmt::format("{}", all.rows), fmt::format("{:.1f}", all.error_pct),
         fmt::format("{:.1f}", all.worst_pct), fmt::format("{}", other.rows),
         fmt::format("{:.1f}", other.error_pct),
         goal.pct == 0 ? "-" : fmt::format("{}{}", goal.pct, other.error_pct > goal.pct ? " missed" : "")});
  }
  std::string text = v.source == Source::machine ? "simulated: by the machine that t3sim run runs\n"
                                                 : "estimated: by analytic models, not by the machine\n";
  text += table.text() + "\n";
  std::map<std::string, std::pair<std::size_t, std::size_t>> asked;
  for (const MeasuredPair& p : v.pairs) {
    asked[p.question].first += p.right();
    ++asked[p.question].second;
  }
  for (const auto& [question, count] : asked)
    text += fmt::format("faster of two, {}: {} of {} pairs right\n", question, count.first, count.second);
  add_counts(text, v);
  if (v.rows_not_asked != 0)
    text += fmt::format("a part: {} of {} cases (--all for all)\n", v.cases.size(),
                        v.cases.size() + v.rows_not_asked);
  if (!v.cost.empty()) text += v.cost + "\n";
  return text;
}

}  // namespace t3sim
