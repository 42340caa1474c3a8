#include "sweep/plot_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <numeric>

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

std::vector<std::string> csv_cells(const std::string& line) {
  std::vector<std::string> cells(1);
  bool in_quotes = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && in_quotes && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[i++];
    else if (line[i] == '"')
      in_quotes = !in_quotes;
    else if (line[i] == ',' && !in_quotes)
      cells.emplace_back();
    else if (line[i] != '\r')
      cells.back() += line[i];
  }
  return cells;
}

bool nearly(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

}  // namespace

Table read_csv(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) throw InputError(fmt::format("{}: cannot be read, or empty", path));
  Table table;
  for (std::string& name : csv_cells(line)) table.columns.push_back({std::move(name), false});
  while (std::getline(file, line)) {
    table.rows.push_back(csv_cells(line));
    if (table.rows.back().size() != table.columns.size())
      throw InputError(fmt::format("{}:{}: {} values in a table of {} columns", path, table.rows.size() + 1,
                                   table.rows.back().size(), table.columns.size()));
  }
  return table;
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
      parts.push_back(fmt::format("{} = {}", column_title(at), cell(row, at)));
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
