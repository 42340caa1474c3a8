// results.csv and results.sqlite: a row a point and scheme, in the order of the plan, whoever ran what when.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sweep/store.h"

namespace t3sim::sweep {

// A table with named columns. Cells are numbers as text, texts, or empty.
struct Table {
  struct Column {
    std::string name;
    bool numeric = false;
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

// The results of a sweep as they come in; every file is read once.
class Results {
 public:
  Results(const Store& store, const Plan& plan) : store_(store), plan_(plan), found_(plan.points.size()) {}

  // Looks for points that have become done. Returns how many are.
  std::size_t refresh();
  void look_at(std::size_t point);
  bool done(std::size_t point) const { return found_[point].has_value(); }
  std::size_t done() const { return done_; }
  const PointResult& of(std::size_t point) const { return *found_[point]; }

  // All that is done: point, axes, scheme and every quantity that some scheme has.
  Table table() const;
  // Those that `collect` and `columns` ask for and no row has.
  std::vector<std::string> columns_without_values() const;
  // Writes results.csv and results.sqlite, each whole or not at all. Throws StorageError.
  void write_tables();

 private:
  const Store& store_;
  const Plan& plan_;
  std::vector<std::optional<PointResult>> found_;
  std::size_t done_ = 0;
};

std::string csv_text(const Table& table);
// The file's only table is `results`. Throws StorageError.
void write_sqlite(const Table& table, const std::string& path);

}  // namespace t3sim::sweep
