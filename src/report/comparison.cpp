#include "report/comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "report/compare_sweeps.h"
#include "report/run_data.h"
#include "report/sweep_data.h"

namespace t3sim::report {
namespace {

using Json = nlohmann::ordered_json;

// A number of a scheme's result, by where it stands there.
struct Quantity {
  std::string group, name, unit;
  double value = 0;
};

std::string without(std::string text, std::string_view end) {
  if (text.ends_with(end)) text.resize(text.size() - end.size());
  return text;
}

void add_all(const Json& values, std::string_view group, std::string_view unit, const std::string& before,
             std::vector<Quantity>& out) {
  for (const auto& [key, value] : values.items())
    if (value.is_number())
      out.push_back(
          {std::string(group), before + without(key, "_us"), std::string(unit), value.get<double>()});
}

// What people call a number of results.json's "limits", and its unit.
std::pair<std::string, std::string> spoken_limit(const std::string& key) {
  if (key == "tflops") return {"rate", "TFLOP/s"};
  if (key == "dram_GBps") return {"DRAM rate", "GB/s"};
  if (key == "dram_share") return {"DRAM", "share"};
  if (key == "cus_busy") return {"CUs busy", "CUs"};
  if (key == "l2_hit_rate") return {"L2 hits", "share"};
  return {without(key, "_share"), "share"};
}

void add_limits(const Json& limits, std::vector<Quantity>& out) {
  for (const auto& [phase, of_phase] : limits.items())
    for (const auto& [key, value] : of_phase.items())
      if (value.is_number()) {
        const auto [name, unit] = spoken_limit(key);
        out.push_back({"utilisation", phase + " " + name, unit, value.get<double>()});
      }
}

std::vector<Quantity> quantities_of(const Json& scheme) {
  std::vector<Quantity> out;
  out.push_back({"time", "total", "us", scheme.at("time_us").get<double>()});
  out.push_back({"time", "speed-up", "x", scheme.value("speedup", 1.0)});
  add_all(scheme.at("phases"), "time", "us", "", out);
  add_all(scheme.at("dram_bytes"), "bytes", "bytes", "dram ", out);
  out.push_back({"bytes", "sent", "bytes", scheme.value("link_bytes", 0.0)});
  if (const auto gap = scheme.find("gap"); gap != scheme.end()) {
    out.push_back({"gap", "in all", "us", gap->at("gap_us").get<double>()});
    add_all(gap->at("parts_us"), "gap", "us", "", out);
  }
  add_limits(scheme.value("limits", Json::object()), out);
  add_all(scheme.value("tracker", Json::object()), "counters", "1", "tracker ", out);
  const Json counters = scheme.value("counters", Json::object());
  for (const auto& [component, values] : counters.items())
    add_all(values, "counters", "1", component + " ", out);
  return out;
}

// Parts of the gap may be next to nothing, or negative: what matters is by how much they differ.
Json change(const Json& row) {
  const Json& values = row["values"];
  const bool difference = row["group"] == "gap";
  Json changes = Json::array();
  for (const Json& value : values) {
    const bool known = value.is_number() && values[0].is_number() && (difference || values[0] != 0.0);
    if (!known)
      changes.push_back(nullptr);
    else if (difference)
      changes.push_back(value.get<double>() - values[0].get<double>());
    else
      changes.push_back(value.get<double>() / values[0].get<double>() - 1);
  }
  return changes;
}

// Rows by scheme and quantity, in the order in which runs name them.
class Rows {
 public:
  explicit Rows(std::size_t runs) : runs_(runs) {}

  void add(std::size_t run, const std::string& scheme, const Quantity& q) {
    Json& row = row_of(scheme, q);
    row["values"][run] = q.value;
  }

  Json finish() {
    for (Json& row : rows_) row["change"] = change(row);
    return std::move(rows_);
  }

 private:
  Json& row_of(const std::string& scheme, const Quantity& q) {
    const auto it = std::ranges::find_if(rows_, [&](const Json& row) {
      return row["scheme"] == scheme && row["group"] == q.group && row["name"] == q.name;
    });
    if (it != rows_.end()) return *it;
    rows_.push_back({{"scheme", scheme}, {"group", q.group}, {"name", q.name}, {"unit", q.unit}});
    rows_.back()["values"] = Json(std::vector<Json>(runs_));
    return rows_.back();
  }

  std::size_t runs_;
  Json rows_ = Json::array();
};

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

std::string workload_text(const Json& w) {
  return fmt::format("{}: M {} x N {} x K {} on {} GPUs", w.value("name", ""), w.value("m", 0),
                     w.value("n", 0), w.value("k", 0), w.value("gpus", 0));
}

Json compare_runs(const std::vector<std::string>& directories) {
  Json data{{"kind", "comparison"}, {"schema", 1}, {"names", directories}, {"workloads", Json::array()}};
  std::vector<Json> configs, results;
  Rows rows(directories.size());
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
  if (sweeps == 0) return compare_runs(directories);
  if (static_cast<std::size_t>(sweeps) < directories.size()) {
    const auto run = std::ranges::find_if_not(directories, is_sweep);
    throw InputError(
        fmt::format("compare: {} is no sweep, and others are: runs with runs, sweeps with sweeps", *run));
  }
  return compare_sweeps(directories);
}

}  // namespace t3sim::report
