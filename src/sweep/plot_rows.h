// The rows that a picture shows, by panel and place: details of plot.h.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sweep/plot.h"

namespace t3sim::sweep {

// A column's name as people say it: "bandwidth, GB/s" of topology_bandwidth_GBps, "GPUs" of gpus_count.
std::string spoken_column(const std::string& name);

// A table with its columns by name.
class PlotRows {
 public:
  explicit PlotRows(const Table& table) : table_(table) {}

  // The column of a name or of a key of the configuration. Throws InputError with the nearest.
  std::size_t column(const std::string& name) const;
  const std::string& column_title(std::size_t column) const { return table_.columns[column].name; }
  const std::string& cell(std::size_t row, std::size_t column) const { return table_.rows[row][column]; }
  // Throws InputError unless the cell is a number.
  double number(std::size_t row, std::size_t column) const;
  std::size_t size() const { return table_.rows.size(); }

  // Rows that `only` and `scheme` leave.
  std::vector<std::size_t> chosen(const PlotOptions& options) const;
  // The values of a column in these rows: numbers ascending, texts in order of appearance.
  std::vector<std::string> values(const std::vector<std::size_t>& rows, std::size_t column) const;

  struct Panel {
    std::string title;
    std::vector<std::size_t> rows;
  };
  std::vector<Panel> panels(const std::vector<std::size_t>& rows,
                            const std::vector<std::string>& columns) const;

  // The row of scheme `versus` that is like `row` but for the scaled column; nothing if there is none.
  std::optional<std::size_t> counterpart(std::size_t row, const PlotOptions& options) const;

 private:
  [[noreturn]] void say_why_empty(const std::vector<std::pair<std::size_t, std::string>>& conditions) const;
  std::size_t axes() const { return column("scheme"); }  // columns before it tell points apart
  const Table& table_;
};

}  // namespace t3sim::sweep
