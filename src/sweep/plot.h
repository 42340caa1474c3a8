// Pictures of a sweep's results: curves and heat maps, drawn by gnuplot as SVG and PNG.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sweep/tables.h"

namespace t3sim::sweep {

struct PlotOptions {
  // Columns; a key of the configuration ("topology.bandwidth") stands for its column.
  std::string x;
  std::string y = "speedup";                              // of a heat map: its other axis
  std::string by;                                         // curves: one a value of this column
  std::string value;                                      // heat map: what the colours show
  std::vector<std::string> panels;                        // a panel for each combination of their values
  std::vector<std::pair<std::string, std::string>> only;  // column, value: other rows are left out
  std::string scheme;                                     // other rows are left out
  // Heat map: a line between cells where `line_value` is at least `line` and cells where it is not.
  // With `versus`, the line's value is time of scheme `versus`, at `scale_column` times `scale_factor`, over
  // the time of the cell: 1 where both are equally good. Otherwise it is `value`.
  double line = 1;
  bool has_line = false;
  std::string versus;
  std::string scale_column;
  double scale_factor = 1;
  std::string line_title = "break-even";
  std::string title;
};

// Texts of numbers count as numbers. Throws InputError.
Table read_csv(const std::string& path);

// What gnuplot is to draw, without terminal and output. Throws InputError for columns that do not exist,
// nothing left to draw, or several rows for one place.
std::string plot_script(const Table& table, const PlotOptions& options);

// Writes NAME.svg and NAME.png. Throws InputError if there is no gnuplot, std::runtime_error if it fails.
void draw(const std::string& script, const std::string& name);

}  // namespace t3sim::sweep
