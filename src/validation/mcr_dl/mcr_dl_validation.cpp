#include "validation/mcr_dl/mcr_dl_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/csv.h"
#include "base/error.h"
#include "base/number.h"
#include "results/text_table.h"
#include "validation/mcr_dl/evaluation.h"
#include "validation/mcr_dl/figures.h"

namespace t3sim::mcr_dl {
namespace {

using message::Kind;

constexpr Model kModels[] = {Model::moe, Model::dlrm, Model::dense};
constexpr double kSlower = 1.01;  // that mixing may be than the best backend alone

// Every value that has a range at both of its ends, one at a time; `what` says which.
void for_each_end(Values& values, const std::function<void(const std::string& what)>& f) {
  const auto both = [&](const std::string& name, Ranged& r) {
    const std::uint64_t value = r.value;
    for (const auto& [end, at] : {std::pair{"low", r.low}, std::pair{"high", r.high}}) {
      if (!at || *at == value) continue;
      r.value = *at;
      f(fmt::format("{} {}", name, end));
      r.value = value;
    }
  };
  for_each_ranged(values.study, both);
  for (message::Backend& b : values.backends)
    message::for_each_ranged(b, [&](const std::string& name, Ranged& r) { both(b.name + "." + name, r); });
}

bool concerns(const std::string& what, Model model) {
  const std::string owner = what.substr(0, what.find('.'));
  const std::vector<std::string> backends = backends_of(model);
  return owner == name_of(model) || std::ranges::find(backends, owner) != backends.end();
}

struct Band {
  double low = 0, high = 0;
};

// Widens the bands by what each end gives; a line of CSV for each.
std::string widen(Machines& machines, Values& values, std::map<std::string, Band>& bands, bool quiet) {
  std::string csv = "value,id,result\n";
  for_each_end(values, [&](const std::string& what) {
    for (const Model model : kModels) {
      if (!concerns(what, model)) continue;
      const std::vector<std::uint32_t> scales = scales_of(model);
      const auto rows = evaluate(machines, values, model, {scales.front(), scales.back()}, false);
      for (const auto& [id, number] : numbers_of(rows, model)) {
        Band& band = bands.at(id);
        band = {std::min(band.low, number), std::max(band.high, number)};
        csv += fmt::format("{},{},{:.2f}\n", what, id, number);
      }
    }
    if (!quiet) fmt::print(stderr, "{}\n", what);
  });
  return csv;
}

std::vector<Finding> read_published(const std::string& path) {
  CsvTable table(path);
  table.expect("id,what,published,source");
  std::vector<Finding> all;
  while (table.next_row()) all.push_back({table.text(0), table.text(1), table.real(2)});
  return all;
}

std::string rows_csv(const std::vector<Row>& rows, Model model) {
  std::string csv =
      "gpus,policy,framework,step_us,relative_throughput,efficiency_pct,communication_us,exposed_pct,all_to_"
      "all_us,"
      "all_reduce_us,other_us\n";
  const Row& first = row_of(rows, model, scales_of(model).front(), backends_of(model).back(), true);
  for (const Row& r : rows) {
    if (r.model != model) continue;
    double other = 0;
    for (const auto& [kind, us] : r.step.by_kind)
      if (kind != Kind::all_to_all && kind != Kind::all_reduce) other += us;
    const auto us_of = [&](Kind kind) {
      const auto found = r.step.by_kind.find(kind);
      return found == r.step.by_kind.end() ? 0 : found->second;
    };
    csv += fmt::format("{},{},{},{:.1f},{:.4f},{:.2f},{:.1f},{:.2f},{:.1f},{:.1f},{:.1f}\n", r.gpus, r.policy,
                       r.baseline ? "PyTorch" : "MCR-DL", r.step.us,
                       first.step.us / r.step.us * r.gpus / first.gpus, r.efficiency, r.step.communication_us,
                       r.step.share(), us_of(Kind::all_to_all), us_of(Kind::all_reduce), other);
  }
  return csv;
}

// Table II: which backend gathers fastest, by what a GPU brings.
std::string table_two(Machines& machines, const Values& values, const std::string& data, int& alike,
                      int& all) {
  std::string csv = "cluster,gpus,bytes,published,ours,mpi-gdr_us,nccl_us,sccl_us\n";
  for (const auto& [cluster, gpus] : {std::pair{"lassen", 64U}, std::pair{"thetagpu", 32U}}) {
    CsvTable table(data + "/table2.csv");
    table.expect("bytes,backend");
    while (table.next_row()) {
      std::map<std::string, double> us;
      for (const message::Backend& b : values.backends)
        us[b.name] =
            machines.of(cluster, gpus).costs().in_a_row_us(b, Kind::all_gather, table.number(0) * gpus, gpus);
      const std::string& best = model::BackendTable::fastest(us);
      ++all;
      alike += best == table.text(1);
      csv += fmt::format("{},{},{},{},{},{:.2f},{:.2f},{:.2f}\n", cluster, gpus, table.number(0),
                         table.text(1), best, us["mpi-gdr"], us["nccl"], us["sccl"]);
    }
  }
  return csv;
}

double best_alone(const std::vector<Row>& rows, Model model, std::uint32_t gpus) {
  double best = 0;
  for (const std::string& b : backends_of(model)) {
    const double us = row_of(rows, model, gpus, b, false).step.us;
    if (best == 0 || us < best) best = us;
  }
  return best;
}

// The first scale at which all-to-alls take longer than all-reduces; 0: none.
std::uint32_t turning_point(const std::vector<Row>& rows, const std::string& policy) {
  for (const std::uint32_t gpus : scales_of(Model::moe)) {
    const auto& by_kind = row_of(rows, Model::moe, gpus, policy, true).step.by_kind;
    if (by_kind.at(Kind::all_to_all) > by_kind.at(Kind::all_reduce)) return gpus;
  }
  return 0;
}

std::vector<Check> checks_of(const std::vector<Row>& rows) {
  bool never_slower = true, sizes_win = true;
  double gain = 0;
  for (const Model model : kModels)
    for (const std::uint32_t gpus : scales_of(model)) {
      const double by_size = row_of(rows, model, gpus, "by size", false).step.us,
                   by_operation = row_of(rows, model, gpus, "by operation", false).step.us;
      never_slower &= by_size <= kSlower * best_alone(rows, model, gpus);
      sizes_win &= by_size <= by_operation;
      gain = std::max(gain, 100 * (by_operation / by_size - 1));
    }
  const std::uint32_t nccl = turning_point(rows, "nccl"), mpi = turning_point(rows, "mpi-gdr");
  return {{"auto is at most 1 % slower than the best backend alone, in each model and at each scale",
           never_slower},
          {fmt::format("tables by size are never slower than by operation (at most {:.2f} % faster)", gain),
           sizes_win && gain > 0},
          {fmt::format(
               "MoE turns all-to-all-bound between 16 and 64 GPUs (with NCCL at {}, with MVAPICH2-GDR at {})",
               nccl, mpi),
           nccl > 16 && nccl <= 64}};
}

std::string findings_csv(const std::vector<Finding>& findings) {
  std::string csv = "id,what,published,ours,low,high,verdict\n";
  for (const Finding& f : findings)
    csv += fmt::format("{},{},{},{:.2f},{:.2f},{:.2f},{}\n", f.id, csv_field(f.what), f.published, f.ours,
                       f.low, f.high, f.hits() ? "hit" : "miss");
  return csv;
}

std::string text_of(const Report& report) {
  TextTable table;
  std::vector<std::string> whats{"what"};
  table.cells({"id", "published", "ours", "low", "high", "verdict"});
  for (const Finding& f : report.findings) {
    table.row();
    table.cells({f.id, fmt::format("{:g}", f.published), fmt::format("{:.1f}", f.ours),
                 fmt::format("{:.1f}", f.low), fmt::format("{:.1f}", f.high), f.hits() ? "hit" : "miss"});
    whats.push_back(f.what);
  }
  std::string text = table.text_with(whats);
  text += "\nlow, high: one value at a time at either end of its range (validation/mcr-dl/README.md).\n\n";
  for (const Check& c : report.checks) text += fmt::format("{}: {}\n", c.holds ? "holds" : "FAILS", c.what);
  return text;
}

}  // namespace

bool Report::passed() const {
  return std::ranges::all_of(findings, &Finding::hits) && std::ranges::all_of(checks, &Check::holds);
}

Report validate(const Options& options) {
  Values values{read_study(options.data + "/study.yaml"), {}};
  for (const char* name : {"mpi-gdr", "nccl", "sccl"})
    values.backends.push_back(message::backend_named(name));
  Report report;
  report.findings = read_published(options.data + "/published.csv");
  Machines machines(options.kept);
  std::map<std::string, Band> bands;
  for (const Model model : kModels) {
    if (!options.quiet) fmt::print(stderr, "{}\n", name_of(model));
    const auto rows = evaluate(machines, values, model, scales_of(model), true);
    for (const auto& [id, number] : numbers_of(rows, model)) bands[id] = {number, number};
    report.rows.insert(report.rows.end(), rows.begin(), rows.end());
  }
  for (Finding& f : report.findings) f.ours = bands.at(f.id).low;
  if (options.bands) report.files.emplace_back("ends.csv", widen(machines, values, bands, options.quiet));
  for (Finding& f : report.findings) f.low = bands.at(f.id).low, f.high = bands.at(f.id).high;
  report.checks = checks_of(report.rows);
  int alike = 0, all = 0;
  const std::string table = table_two(machines, values, options.data, alike, all);
  report.checks.push_back(
      {fmt::format("Table II: {} of {} sizes name the published backend", alike, all), alike == all});
  report.files.emplace_back("figure2.csv", figure_two(machines, values));
  report.files.emplace_back("figure7.csv", figure_seven(machines, values));
  report.files.emplace_back("figure8.csv", rows_csv(report.rows, Model::moe));
  report.files.emplace_back("figure9.csv", rows_csv(report.rows, Model::dlrm));
  report.files.emplace_back("figure10.csv", rows_csv(report.rows, Model::dense));
  report.files.emplace_back("figure11.csv", figure_eleven(machines, values));
  report.files.emplace_back("figure12.csv", figure_twelve(report.rows));
  report.files.emplace_back("table2.csv", table);
  report.files.emplace_back("findings.csv", findings_csv(report.findings));
  report.text = text_of(report);
  return report;
}

}  // namespace t3sim::mcr_dl
