#include "report/comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "report/compare_programs.h"
#include "report/compare_sweeps.h"
#include "report/comparison_rows.h"
#include "report/run_data.h"
#include "report/sweep_data.h"

namespace t3sim::report {
namespace {

using Json = nlohmann::ordered_json;

Json& limit_row(Json& rows, std::size_t runs, const std::string& scheme, const std::string& phase) {
  for (Json& row : rows)
    if (row["scheme"] == scheme && row["phase"] == phase) return row;
  rows.push_back({{"scheme", scheme}, {"phase", phase}, {"values", std::vector<Json>(runs)}});
  return rows.back();
}

Json limited_by(const std::vector<Json>& results) {
  Json rows = Json::array();
  for (std::size_t run = 0; run < results.size(); ++run)
    for (const auto& [scheme, result] : results[run].at("schemes").items()) {
      const Json limits = result.value("limits", Json::object());
      for (const auto& [phase, of_phase] : limits.items())
        limit_row(rows, results.size(), scheme, phase)["values"][run] = of_phase.value("limited_by", "");
    }
  return rows;
}

Json compare_runs(const std::vector<std::string>& directories) {
  Json data{{"kind", "comparison"}, {"schema", 1}, {"names", directories}, {"workloads", Json::array()}};
  std::vector<Json> configs, results;
  ComparisonRows rows(directories.size());
  for (std::size_t run = 0; run < directories.size(); ++run) {
    const ResultFiles files = read_result(directories[run]);
    configs.push_back(config_of(files));
    results.push_back(results_of(files));
    data["workloads"].push_back(workload_text(results.back().at("workload")));
    for (const auto& [name, scheme] : results.back().at("schemes").items())
      for (const Quantity& q : quantities_of(scheme)) rows.add(run, name, q);
  }
  data["config"] = differing_keys(configs);
  data["rows"] = rows.finish();
  data["limited_by"] = limited_by(results);
  return data;
}

}  // namespace

Json differing_keys(const std::vector<Json>& configs) {
  Json out = Json::array();
  std::vector<std::string> keys;
  for (const Json& config : configs)
    for (const auto& [key, value] : config.items())
      if (std::ranges::count(keys, key) == 0) keys.push_back(key);
  for (const std::string& key : keys) {
    Json values = Json::array();
    for (const Json& config : configs) values.push_back(config.value(key, Json()));
    if (std::ranges::any_of(values, [&](const Json& v) { return v != values[0]; }))
      out.push_back({{"key", key}, {"values", values}});
  }
  return out;
}

nlohmann::ordered_json comparison_data(const std::vector<std::string>& directories) {
  const auto sweeps = std::ranges::count_if(directories, is_sweep);
  if (sweeps == 0 && std::ranges::any_of(directories, is_program_run)) return compare_programs(directories);
  if (sweeps == 0) return compare_runs(directories);
  if (static_cast<std::size_t>(sweeps) < directories.size()) {
    const auto run = std::ranges::find_if_not(directories, is_sweep);
    throw InputError(
        fmt::format("compare: {} is no sweep, and others are: runs with runs, sweeps with sweeps", *run));
  }
  return compare_sweeps(directories);
}

}  // namespace t3sim::report
