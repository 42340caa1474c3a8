#include "sweep/plot_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "base/csv.h"
#include "base/error.h"
#include "base/nearest.h"

namespace t3sim::sweep {
namespace {

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool nearly(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

}  // namespace

Table read_csv(const std::string& path) {
  CsvTable csv{std::filesystem::path(path)};
  Table table;
  for (const std::string& name : csv.columns()) table.columns.push_back({name, false});
  while (csv.next_row()) {
    auto& row = table.rows.emplace_back();
    for (std::size_t i = 0; i < table.columns.size(); ++i) row.push_back(csv.text(i));
  }
  return table;
}

std::string spoken_column(const std::string& name) {
  constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
      {"_GBps", "GB/s"}, {"_GHz", "GHz"}, {"_bytes", "bytes"}, {"_us", "us"}, {"_ns", "ns"}};
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {{"gpus_count", "GPUs"},
                                                                      {"speedup", "speed-up"},
                                                                      {"workload_m", "M"},
                                                                      {"workload_n", "N"},
                                                                      {"workload_k", "K"}};
  for (const auto& [column, words] : kNames)
    if (name == column) return std::string(words);
  std::string text = name, unit;
  for (const auto& [end, words] : kUnits)
    if (unit.empty() && text.ends_with(end) && text.size() > end.size()) {
      text.resize(text.size() - end.size());
      unit = fmt::format(", {}", words);
    }
  for (const std::string_view section : {"workload_", "topology_", "gpus_", "collective_"})
    if (text.starts_with(section)) text.erase(0, section.size());
  std::ranges::replace(text, '_', ' ');
  return text + unit;
}

std::size_t PlotRows::column(const std::string& name) const {
  std::string wanted = name;
  std::ranges::replace(wanted, '.', '_');
  std::vector<std::string> names;
  for (std::size_t i = 0; i < table_.columns.size(); ++i) {
    if (table_.columns[i].name == wanted) return i;
    names.push_back(table_.columns[i].name);
  }
  if (name.find('.') != name.npos)  // a key: its column ends in a unit
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == column_name(name)) return i;
  const std::string near = nearest(wanted, names);
  throw InputError(near.empty() ? fmt::format("no column \"{}\"; columns: {}", name, fmt::join(names, ", "))
                                : fmt::format("no column \"{}\"; did you mean {}?", name, near));
}

double PlotRows::number(std::size_t row, std::size_t column) const {
  if (const std::optional<double> value = number_of(cell(row, column))) return *value;
  throw InputError(fmt::format("column {}: \"{}\" is not a number", column_title(column), cell(row, column)));
}

void PlotRows::say_why_empty(const std::vector<std::pair<std::size_t, std::string>>& conditions) const {
  std::vector<std::size_t> all(size());
  std::iota(all.begin(), all.end(), 0);
  for (const auto& [column, value] : conditions) {
    const std::vector<std::string> there = values(all, column);
    if (std::ranges::find(there, value) == there.end())
      throw InputError(fmt::format("sweep plot: column {} has no \"{}\"; it has: {}", column_title(column),
                                   value, fmt::join(there, ", ")));
  }
  throw InputError("sweep plot: no row of the results is left to draw");
}

std::vector<std::size_t> PlotRows::chosen(const PlotOptions& options) const {
  std::vector<std::pair<std::size_t, std::string>> conditions;
  if (!options.scheme.empty()) conditions.emplace_back(column("scheme"), options.scheme);
  for (const auto& [name, value] : options.only) conditions.emplace_back(column(name), value);
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < size(); ++row)
    if (std::ranges::all_of(conditions, [&](const auto& c) { return cell(row, c.first) == c.second; }))
      rows.push_back(row);
  if (rows.empty()) say_why_empty(conditions);
  return rows;
}

std::vector<std::string> PlotRows::values(const std::vector<std::size_t>& rows, std::size_t column) const {
  std::vector<std::string> all;
  for (const std::size_t row : rows)
    if (std::ranges::count(all, cell(row, column)) == 0) all.push_back(cell(row, column));
  if (std::ranges::all_of(all, [](const std::string& text) { return number_of(text).has_value(); }))
    std::ranges::sort(all, {}, [](const std::string& text) { return *number_of(text); });
  return all;
}

std::vector<PlotRows::Panel> PlotRows::panels(const std::vector<std::size_t>& rows,
                                              const std::vector<std::string>& columns) const {
  std::vector<Panel> all;
  for (const std::size_t row : rows) {
    std::vector<std::string> parts;
    for (const std::string& name : columns) {
      const std::size_t at = column(name);
      parts.push_back(fmt::format("{} = {}", spoken_column(column_title(at)), cell(row, at)));
    }
    const std::string title = fmt::format("{}", fmt::join(parts, ", "));
    auto panel = std::ranges::find(all, title, &Panel::title);
    if (panel == all.end()) panel = all.insert(all.end(), Panel{title, {}});
    panel->rows.push_back(row);
  }
  return all;
}

std::optional<std::size_t> PlotRows::counterpart(std::size_t row, const PlotOptions& options) const {
  const std::size_t scheme = axes();
  const std::size_t scaled = options.scale_column.empty() ? 0 : column(options.scale_column);
  const auto like = [&](std::size_t other) {
    if (cell(other, scheme) != options.versus) return false;
    for (std::size_t i = 1; i < scheme; ++i)  // column 0 is the point's number
      if (i != scaled && cell(other, i) != cell(row, i)) return false;
    return scaled == 0 || nearly(number(other, scaled), options.scale_factor * number(row, scaled));
  };
  for (std::size_t other = 0; other < size(); ++other)
    if (like(other)) return other;
  return std::nullopt;
}

}  // namespace t3sim::sweep
