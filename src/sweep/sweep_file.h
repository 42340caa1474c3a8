// A sweep file as written (README, "Sweeps"): what varies around one configuration.
#pragma once

#include <string>
#include <vector>

#include "config/load.h"
#include "sweep/expression.h"
#include "sweep/further_columns.h"

namespace t3sim::sweep {

// One key and the value that a point gives it; the value knows where it was said. The key "preset" stands for
// all that the preset of that name sets.
struct Assignment {
  std::string path;
  config::Node value;
};
using Step = std::vector<Assignment>;

// One or several keys that vary together: an axis of its own, zipped axes, the rows of a file.
struct Axis {
  std::vector<std::string> keys;
  std::vector<Step> steps;
};

struct Preset {
  std::string name;
  Step sets;
};

struct SweepFile {
  std::string path;
  std::string name;             // of the file, without folder and suffix
  std::string base;             // configuration file
  config::Location axes_where;  // of `axes`: what messages about a point name
  Step set;                     // for all points
  std::vector<Preset> presets;
  std::vector<Axis> axes;  // the first varies slowest
  std::vector<Condition> where;
  FurtherColumns columns;
  bool skip_invalid = false;             // points that cannot be run are left out, and counted
  config::Node schemes;                  // nothing: those of the base
  std::vector<config::InputFile> files;  // the sweep file and tables of values
};

// A file, or the name of a sweep that is in the program (config/library.h). Throws InputError naming file, line and column.
SweepFile load_sweep(const std::string& path_or_name);

// The values of the table FILE: its first line names keys, every other line is a step. `where` is the place
// that names the file.
Axis axis_from_table(const std::string& path, const config::Location& where,
                     std::vector<config::InputFile>& files);

// Throws InputError unless `path` is a key (or "preset", where allowed).
void check_key(const std::string& path, const config::Location& where);

}  // namespace t3sim::sweep
