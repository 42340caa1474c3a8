// A comparison for a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/comparison.h"
#include "results/text_table.h"

namespace t3sim::report {
namespace {

using Json = nlohmann::ordered_json;

// A, B, C: names of directories are long.
std::string letter(std::size_t i) { return std::string(1, static_cast<char>('A' + i % 26)); }

std::string number(const Json& value, const std::string& unit) {
  if (!value.is_number()) return "-";
  const double v = value.get<double>();
  if (unit == "bytes") return fmt::format("{:.1f} MB", v / 1e6);
  if (unit == "share") return fmt::format("{:.1f} %", 100 * v);
  if (unit == "us") return fmt::format("{:.1f} us", v);
  if (unit == "x") return fmt::format("{:.3f}", v);
  return unit == "1" ? fmt::format("{:.6g}", v) : fmt::format("{:.1f} {}", v, unit);
}

// A run without the scheme says nothing.
bool differs(const Json& values) {
  const Json* first = nullptr;
  for (const Json& value : values) {
    if (value.is_null()) continue;
    if (first && value != *first) return true;
    first = &value;
  }
  return false;
}

std::string change_text(const Json& change, const std::string& group) {
  if (!change.is_number()) return "-";
  if (group == "gap") return fmt::format("{:+.1f} us", change.get<double>());
  return fmt::format("{:+.1f} %", 100 * change.get<double>());
}

// Ideal schemes are made of phases of others: what these use is said there.
bool is_shown(const Json& row, bool all) {
  if (all || row["name"] == "total") return true;
  const bool of_others =
      row["group"] == "utilisation" && row["scheme"].get<std::string>().starts_with("ideal-");
  return differs(row["values"]) && !of_others;
}

// Of a column that is a program, or one scheme, no scheme is named.
std::string title_of(const Json& row) {
  const std::string scheme = row["scheme"].get<std::string>(), name = row["name"].get<std::string>();
  return scheme.empty() ? name : scheme + " " + name;
}

std::string names_text(const Json& data) {
  std::string text;
  for (std::size_t i = 0; i < data["names"].size(); ++i)
    text += fmt::format("{}: {}{}\n", letter(i), data["names"][i].get<std::string>(),
                        data.contains("workloads") ? "  " + data["workloads"][i].get<std::string>() : "");
  return text;
}

void add_letters(TextTable& table, std::size_t runs, bool changes) {
  for (std::size_t i = 0; i < runs; ++i) table.cell(letter(i));
  if (changes)
    for (std::size_t i = 1; i < runs; ++i) table.cell(letter(i) + " to A");
}

std::string config_text(const Json& data) {
  if (data["config"].empty()) return "\nThe configurations are the same.\n";
  TextTable table;
  table.cell("configuration");
  add_letters(table, data["names"].size(), false);
  for (const Json& row : data["config"]) {
    table.row();
    table.cell(row["key"].get<std::string>());
    for (const Json& value : row["values"]) {
      const std::string text = value.is_string() ? value.get<std::string>() : "-";
      table.cell(text.empty() ? "(nothing)" : text);
    }
  }
  return "\n" + table.text();
}

std::string group_text(const Json& data, const std::string& group, bool all) {
  TextTable table;
  table.cell(group);
  add_letters(table, data["names"].size(), true);
  bool any = false;
  for (const Json& row : data["rows"]) {
    if (row["group"] != group || !is_shown(row, all)) continue;
    any = true;
    table.row();
    table.cell(title_of(row));
    for (const Json& value : row["values"]) table.cell(number(value, row["unit"]));
    for (std::size_t i = 1; i < row["change"].size(); ++i) table.cell(change_text(row["change"][i], group));
  }
  return any ? "\n" + table.text() : "";
}

std::string limits_text(const Json& data, bool all) {
  TextTable table;
  table.cell("limited by");
  add_letters(table, data["names"].size(), false);
  bool any = false;
  for (const Json& row : data["limited_by"]) {
    if (!all && !differs(row["values"])) continue;
    any = true;
    table.row();
    table.cell(row["scheme"].get<std::string>() + " " + row["phase"].get<std::string>());
    for (const Json& value : row["values"]) table.cell(value.is_string() ? value.get<std::string>() : "-");
  }
  return any ? "\n" + table.text() : "";
}

// "3.40 us", or the mean of several.
std::string command_time(const Json& value, const Json& count) {
  const std::string time = number(value, "us");
  return count.get<std::uint64_t>() < 2 ? time
                                        : fmt::format("{} ({} times)", time, count.get<std::uint64_t>());
}

std::string commands_text(const Json& data, bool all) {
  TextTable table;
  table.cell("commands, mean time");
  add_letters(table, data["names"].size(), true);
  bool any = false;
  for (const Json& row : data["commands"]) {
    if (!all && std::ranges::all_of(row["values"], [&](const Json& v) { return v == row["values"][0]; }))
      continue;
    any = true;
    table.row();
    table.cell(row["stream"].get<std::string>() + ": " + row["command"].get<std::string>());
    for (std::size_t i = 0; i < row["values"].size(); ++i)
      table.cell(command_time(row["values"][i], row["counts"][i]));
    for (std::size_t i = 1; i < row["change"].size(); ++i) table.cell(change_text(row["change"][i], "time"));
  }
  return any ? "\n" + table.text() : "";
}

std::string runs_text(const Json& data, bool all) {
  std::string text = names_text(data) + config_text(data);
  for (const char* group : {"time", "bytes", "gap", "utilisation", "counters"})
    text += group_text(data, group, all);
  if (data.contains("commands")) text += commands_text(data, all);
  return text + limits_text(data, all);
}

std::string places_text(const Json& row) {
  std::string text;
  for (const auto& [key, value] : row["axes"].items())
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", key, value.get<std::string>());
  return text;
}

std::string points_text(const Json& data, bool all) {
  if (!all) return "";
  TextTable table;
  table.cell("time us");
  add_letters(table, data["names"].size(), false);
  for (const Json& row : data["rows"]) {
    table.row();
    table.cell(places_text(row) + ", " + row["scheme"].get<std::string>());
    for (const Json& time : row["time_us"])
      table.cell(time.is_number() ? fmt::format("{:.1f}", time.get<double>()) : "-");
  }
  return "\n" + table.text();
}

std::string sweeps_text(const Json& data, bool all) {
  TextTable table;
  const std::size_t sweeps = data["names"].size();
  table.cells({"time to A's", "points"});
  for (std::size_t s = 1; s < sweeps; ++s)
    for (const char* what : {"mean", "least", "most"}) table.cell(letter(s) + " " + what);
  for (const Json& scheme : data["schemes"]) {
    table.row();
    table.cells({scheme["scheme"].get<std::string>(), scheme["points"].dump()});
    for (std::size_t s = 1; s < sweeps; ++s)
      for (const char* what : {"mean", "least", "most"})
        table.cell(fmt::format("{:.3f}", scheme[what][s].get<double>()));
  }
  std::string text = names_text(data) + config_text(data);
  text += fmt::format("\n{} points in all of them", data["points"]["common"].get<std::size_t>());
  for (std::size_t s = 0; s < sweeps; ++s)
    if (const auto only = data["points"]["only"][s].get<std::size_t>(); only > 0)
      text += fmt::format("; {} of {} are not in all", only, letter(s));
  return text + "\n\n" + table.text() + points_text(data, all);
}

}  // namespace

std::string comparison_text(const nlohmann::ordered_json& data, bool all) {
  return data["kind"] == "comparison" ? runs_text(data, all) : sweeps_text(data, all);
}

}  // namespace t3sim::report
