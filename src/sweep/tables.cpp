#include "sweep/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/csv.h"
#include "base/number.h"

namespace t3sim::sweep {
namespace {

using Json = nlohmann::ordered_json;

std::string cell_of(const Json& value) {
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (value.is_number()) return fmt::format("{}", value.get<std::uint64_t>());
  return value.is_string() ? value.get<std::string>() : std::string();
}

// A name is a column of the result, or an axis.
std::optional<double> number_named(const Plan& plan, const Point& point, const Json& result,
                                   std::string_view name) {
  if (const auto it = result.find(name); it != result.end())
    return it->is_number() ? std::optional(it->get<double>()) : std::nullopt;
  const auto column = std::ranges::find(plan.columns, name, &PlanColumn::name);
  if (column == plan.columns.end() || !column->numeric) return std::nullopt;
  return std::stod(point.values[narrow<std::size_t>(column - plan.columns.begin())]);
}

void add_derived(const Plan& plan, const Point& point, Json& result) {
  for (const DerivedColumn& column : plan.further.derived)
    if (const auto value =
            evaluate(column, [&](std::string_view name) { return number_named(plan, point, result, name); }))
      result.emplace(column.name, *value);  // where a phase has that name, what was simulated stays
}

}  // namespace

void Results::look_at(std::size_t point) {
  if (found_[point]) return;
  found_[point] = store_.result(plan_.points[point]);
  done_ += found_[point].has_value();
}

std::size_t Results::refresh() {
  for (std::size_t i = 0; i < found_.size(); ++i) look_at(i);
  return done_;
}

Table Results::table() const {
  Table table;
  table.columns.push_back({"point", true});
  for (const PlanColumn& column : plan_.columns) table.columns.push_back({column.name, column.numeric});
  const std::size_t fixed = table.columns.size();
  const auto column_at = [&](const std::string& name, const Json& value) {
    const auto it = std::find_if(table.columns.begin() + narrow<std::ptrdiff_t>(fixed), table.columns.end(),
                                 [&](const Table::Column& column) { return column.name == name; });
    if (it != table.columns.end()) return narrow<std::size_t>(it - table.columns.begin());
    table.columns.push_back({name, value.is_number()});
    return table.columns.size() - 1;
  };
  for (const Point& point : plan_.points) {
    if (!found_[point.index]) continue;
    for (const SchemeResult& scheme : found_[point.index]->schemes) {
      Json result = columns_of(scheme, plan_.further);
      add_derived(plan_, point, result);
      std::vector<std::string> row{std::to_string(point.index)};
      row.insert(row.end(), point.values.begin(), point.values.end());
      for (const auto& [name, value] : result.items()) {
        const std::size_t at = column_at(name, value);
        row.resize(std::max(row.size(), at + 1));
        row[at] = cell_of(value);
      }
      table.rows.push_back(std::move(row));
    }
  }
  for (auto& row : table.rows) row.resize(table.columns.size());
  return table;
}

std::vector<std::string> Results::columns_without_values() const {
  const Table all = table();
  std::vector<std::string> names = plan_.further.counters(), missing;
  for (std::string& name : names) name = column_of_counter(name);
  for (const DerivedColumn& column : plan_.further.derived) names.push_back(column.name);
  for (const std::string& name : names)
    if (std::ranges::find(all.columns, name, &Table::Column::name) == all.columns.end())
      missing.push_back(name);
  return missing;
}

void Results::write_tables() {
  const std::optional<FileLock> lock = FileLock::take(store_.file("tables"), true, process_name());
  refresh();  // others may have finished points while we waited
  const Table all = table();
  write_whole(store_.file("results.csv"), csv_text(all));
  write_sqlite(all, store_.file("results.sqlite"));
}

std::string csv_text(const Table& table) {
  std::string text;
  for (const Table::Column& column : table.columns)
    text += (text.empty() ? "" : ",") + csv_field(column.name);
  text += '\n';
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) text += (i > 0 ? "," : "") + csv_field(row[i]);
    text += '\n';
  }
  return text;
}

}  // namespace t3sim::sweep
