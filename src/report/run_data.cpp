#include "report/run_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/csv.h"
#include "base/error.h"
#include "base/number.h"
#include "config/load.h"
#include "results/scheme_json.h"

namespace t3sim::report {
namespace {

using Json = nlohmann::ordered_json;

CsvTable table_of(const ResultFiles& files, const char* name, std::string_view header) {
  CsvTable table(files.at(name), files.path(name));
  table.expect(header);
  return table;
}

// Whole numbers stay whole: they may be beyond what a double holds.
Json number_of(const CsvTable& row, std::size_t column) {
  const double value = row.real(column);
  const std::string& text = row.text(column);
  if (std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }) && text.size() < 20)
    return std::stoull(text);
  return value;
}

bool one_of_dozens(const std::string& component) {
  return component.starts_with("cu[") || component.starts_with("l2[") || component.starts_with("channel[");
}

Json stats_of(const ResultFiles& files) {
  Json stats = Json::array();
  CsvTable row = table_of(files, "stats.csv", "gpu,component,name,value,unit,scheme,phase");
  while (row.next_row())
    if (!one_of_dozens(row.text(1)))
      stats.push_back({number_of(row, 0), row.text(1), row.text(2), number_of(row, 3), row.text(4),
                       row.text(5), row.text(6)});
  return stats;
}

// True if the row is the next interval of the series.
bool continues(const Json& series, const CsvTable& row) {
  constexpr std::pair<const char*, std::size_t> kSame[] = {
      {"component", 1}, {"name", 2}, {"unit", 6}, {"scheme", 7}, {"phase", 8}};
  for (const auto& [key, column] : kSame)
    if (series.at(key).get_ref<const std::string&>() != row.text(column)) return false;
  const double interval = series.at("interval_us").get<double>();
  const double next = series.at("start_us").get<double>() + interval * real(series.at("values").size());
  return series.at("gpu") == number_of(row, 0) && row.real(4) == interval &&
         std::abs(row.real(3) - next) <= 1e-6 * interval;
}

Json series_of(const ResultFiles& files) {
  Json all = Json::array();
  CsvTable row =
      table_of(files, "series.csv", "gpu,component,name,start_us,interval_us,value,unit,scheme,phase");
  while (row.next_row()) {
    if (all.empty() || !continues(all.back(), row))
      all.push_back({{"gpu", number_of(row, 0)},
                     {"component", row.text(1)},
                     {"name", row.text(2)},
                     {"unit", row.text(6)},
                     {"scheme", row.text(7)},
                     {"phase", row.text(8)},
                     {"start_us", row.real(3)},
                     {"interval_us", row.real(4)},
                     {"values", Json::array()}});
    all.back()["values"].push_back(number_of(row, 5));
  }
  return all;
}

Json time_line_of(const ResultFiles& files) {
  if (!files.has("timeline.csv")) return nullptr;
  std::map<std::string, std::size_t> places;
  Json texts = Json::array();
  const auto place_of = [&](const std::string& text) {
    const auto [it, is_new] = places.emplace(text, places.size());
    if (is_new) texts.push_back(text);
    return it->second;
  };
  Json columns{{"scheme", Json::array()}, {"phase", Json::array()}, {"gpu", Json::array()},
               {"track", Json::array()},  {"name", Json::array()},  {"start_us", Json::array()},
               {"end_us", Json::array()}};
  CsvTable row = table_of(files, "timeline.csv", "scheme,phase,gpu,track,name,start_us,end_us");
  while (row.next_row()) {
    constexpr std::pair<const char*, std::size_t> kTexts[] = {
        {"scheme", 0}, {"phase", 1}, {"track", 3}, {"name", 4}};
    for (const auto& [key, column] : kTexts) columns[key].push_back(place_of(row.text(column)));
    columns["gpu"].push_back(number_of(row, 2));
    columns["start_us"].push_back(row.real(5));
    columns["end_us"].push_back(row.real(6));
  }
  columns["texts"] = std::move(texts);
  return columns;
}

std::string text_of(const config::Node& node) {
  if (node.type == config::Node::Type::scalar) return node.scalar;
  if (node.type != config::Node::Type::list) return "";
  std::string text;
  for (const config::Node& item : node.items) text += (text.empty() ? "" : ", ") + text_of(item);
  return text;
}

// "gpu.clock": "1.4 GHz", …
void flatten(const config::Node& node, const std::string& path, Json& out) {
  if (node.type != config::Node::Type::map) {
    out[path] = text_of(node);
    return;
  }
  for (const config::Entry& entry : node.entries)
    flatten(entry.value, path.empty() ? entry.key : path + "." + entry.key, out);
}

void check_scheme(const std::string& where, const std::string& name, const Json& scheme) {
  try {
    scheme_from_json(name, scheme);
  } catch (const Json::exception&) {
    throw InputError(fmt::format("{}: {}: not a scheme's result (time_us, phases, dram_bytes)", where, name));
  }
}

Json links_of(const ResultFiles& files) {
  Json links = Json::array();
  CsvTable row = table_of(files, "links.csv", "scheme,link,from,to,GBps,bytes,busy_us,busy_share");
  while (row.next_row())
    links.push_back({row.text(0), row.text(1), number_of(row, 4), number_of(row, 5), number_of(row, 7)});
  return links;
}

// By scheme.
Json pictures_of(const ResultFiles& files) {
  constexpr std::string_view kBegin = "topology-", kEnd = ".svg";
  Json pictures = Json::object();
  for (const auto& [name, content] : files.contents)
    if (name.starts_with(kBegin) && name.ends_with(kEnd))
      pictures[name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size())] = content;
  return pictures;
}

}  // namespace

nlohmann::ordered_json config_by_key(const std::string& text, const std::string& name) {
  Json out = Json::object();
  flatten(config::parse_yaml(text, name), "", out);
  return out;
}

nlohmann::ordered_json about_of(const ResultFiles& files) {
  Json json = Json::object();
  for (const char* key : {"version", "git_commit", "sha256"}) json[key] = files.manifest.value(key, Json());
  return json;
}

nlohmann::ordered_json config_of(const ResultFiles& files) {
  return config_by_key(files.at("config.yaml"), files.path("config.yaml"));
}

nlohmann::ordered_json results_of(const ResultFiles& files) {
  const std::string where = files.path("results.json");
  Json results = Json::parse(files.at("results.json"), nullptr, false);
  if (!results.is_object() || results.value("schema", Json()) != 1)
    throw InputError(where + ": not results of schema 1");
  if (!results.value("workload", Json()).is_object() || !results.value("schemes", Json()).is_object() ||
      results["schemes"].empty())
    throw InputError(where + ": no workload or no schemes in it");
  for (const auto& [name, scheme] : results["schemes"].items()) check_scheme(where, name, scheme);
  return results;
}

nlohmann::ordered_json run_data(const ResultFiles& files) {
  Json data{{"kind", "run"},
            {"results", results_of(files)},
            {"config", config_of(files)},
            {"stats", stats_of(files)},
            {"series", series_of(files)},
            {"time_line", time_line_of(files)},
            {"config_text", files.at("config.yaml")},
            {"about", about_of(files)}};
  if (!files.has("links.csv")) return data;
  data["links"] = links_of(files);
  data["pictures"] = pictures_of(files);
  return data;
}

}  // namespace t3sim::report
