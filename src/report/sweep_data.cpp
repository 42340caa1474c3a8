#include "report/sweep_data.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <sstream>
#include <vector>

#include "base/sha256.h"
#include "report/refuse.h"
#include "results/build_info.h"
#include "sweep/store.h"
#include "sweep/tables.h"

namespace t3sim::report {
namespace {

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::string>;

void check_version(const sweep::Store& store, const sweep::Plan& plan) {
  const std::string version = plan.program.substr(0, plan.program.find(' '));
  if (version != kBuildInfo.version)
    refuse(store.path(), fmt::format("run with t3sim {}, and this is {}: run it again with this one", version,
                                     kBuildInfo.version));
}

// A point is named by the hash of what decides it; only with a trace that is more than the configuration.
void check_key(const sweep::Store& store, const sweep::Plan& plan, const sweep::Point& point) {
  if (point.files.empty() &&
      point.key != sha256_hex(sweep::named_by(plan.program, point.config, plan.further)))
    refuse(store.file("plan.jsonl"), fmt::format("changed since it was written (point {})", point.index));
}

// Every point is done or has failed, and what it left is as it was written.
void check_complete(const sweep::Store& store, const sweep::Plan& plan, const sweep::Results& results) {
  std::size_t missing = 0;
  for (const sweep::Point& point : plan.points) {
    check_key(store, plan, point);
    if (results.done(point.index)) continue;
    const std::string path = store.file("points/" + point.key);
    if (std::filesystem::exists(path))
      refuse(path, "changed or cut off since it was written (its hash is wrong)");
    if (!store.failure(point)) ++missing;
  }
  if (missing > 0)
    refuse(store.path(),
           fmt::format("incomplete, {} of {} points are missing: t3sim sweep run --resume goes on with it",
                       missing, plan.points.size()));
}

void check_table(const sweep::Store& store, const sweep::Table& table) {
  const std::string path = store.file("results.csv");
  const std::optional<std::string> text = sweep::read_file(path);
  if (!text) refuse(path, "missing: t3sim sweep run --resume writes it anew");
  if (*text != sweep::csv_text(table))
    refuse(path,
           "changed since it was written (not what the points say): t3sim sweep run --resume writes it anew");
}

Json cell(const std::string& text, bool numeric) {
  if (text.empty()) return nullptr;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = numeric && error == std::errc{} && end == text.data() + text.size();
  return number ? Json(value) : Json(text);
}

void add_table(const sweep::Table& table, Json& data) {
  data["columns"] = Json::array();
  data["rows"] = Json::array();
  for (const auto& column : table.columns) data["columns"].push_back(column.name);
  for (const auto& row : table.rows) {
    Json cells = Json::array();
    for (std::size_t i = 0; i < row.size(); ++i) cells.push_back(cell(row[i], table.columns[i].numeric));
    data["rows"].push_back(std::move(cells));
  }
}

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Configurations are long and nearly alike.
void add_configurations(const sweep::Plan& plan, Json& data) {
  const Lines first = lines_of(plan.points.front().config);
  data["config"] = first;
  data["differs"] = Json::array();
  for (const sweep::Point& point : plan.points) {
    Json differs = Json::object();
    const Lines lines = lines_of(point.config);
    for (std::size_t i = 0; i < std::max(lines.size(), first.size()); ++i)
      if (i >= lines.size())
        differs[std::to_string(i)] = nullptr;
      else if (i >= first.size() || lines[i] != first[i])
        differs[std::to_string(i)] = lines[i];
    data["differs"].push_back(std::move(differs));
  }
}

// Keys of the phases of each scheme, in their order in time, which columns of a table do not have.
void add_phases(const sweep::Plan& plan, const sweep::Results& results, Json& data) {
  data["phases"] = Json::object();
  for (const sweep::Point& point : plan.points) {
    if (!results.done(point.index)) continue;
    for (const SchemeResult& scheme : results.of(point.index).schemes) {
      Json phases = Json::array();
      for (const auto& [name, us] : scheme.phases) phases.push_back(name);
      data["phases"][scheme.name] = phases;
    }
  }
}

void add_points(const sweep::Store& store, const sweep::Plan& plan, const sweep::Results& results,
                Json& data) {
  data["axes"] = Json::array();
  for (const sweep::PlanColumn& column : plan.columns) data["axes"].push_back(column.name);
  data["points"] = Json::array();
  for (const sweep::Point& point : plan.points) {
    Json json{{"label", point.label}, {"values", Json::array()}, {"command", point.command}};
    for (std::size_t i = 0; i < point.values.size(); ++i)
      json["values"].push_back(cell(point.values[i], plan.columns[i].numeric));
    if (!results.done(point.index)) json["failed"] = store.failure(point).value_or("");
    data["points"].push_back(std::move(json));
  }
}

}  // namespace

bool is_sweep(const std::string& directory) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::path(directory) / "plan.jsonl", ignored);
}

nlohmann::ordered_json sweep_data(const std::string& directory) {
  const sweep::Store store = sweep::Store::open(directory);
  const sweep::Plan plan = store.plan().value();
  if (plan.points.empty()) refuse(store.file("plan.jsonl"), "has no points");
  check_version(store, plan);
  sweep::Results results(store, plan);
  results.refresh();
  check_complete(store, plan, results);
  const sweep::Table table = results.table();
  check_table(store, table);
  Json data{{"kind", "sweep"}, {"name", plan.sweep}, {"about", {{"program", plan.program}}}};
  add_points(store, plan, results, data);
  add_table(table, data);
  add_phases(plan, results, data);
  add_configurations(plan, data);
  return data;
}

}  // namespace t3sim::report
