// t3sim validate ficco: the evaluation of FiCCO, rerun (validation/ficco/README.md).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/points.h"
#include "validation/ficco/study.h"

namespace t3sim::ficco {

struct Timed {
  double us = 0, sample_error_us = 0;
};

// Of a shape: time of each of kRuns.
struct ShapeTimes {
  Shape shape;
  std::map<Run, Timed> runs;

  double us(Run run) const { return runs.at(run).us; }
  double speedup(Run run) const { return us(Run::serial) / us(run); }
  // Section IV-A: as if pieces took their share of the whole, one of eight steps exposed.
  double ideal() const;
  Run best() const;  // of FiCCO's schedules by copy engines
};

struct Simulated {
  std::vector<ShapeTimes> shapes;
  std::string kept_lines;  // of these runs, for model::KeptRuns
};
Simulated simulate(const Config& machine, const std::vector<Shape>& shapes,
                   const model::PointOptions& options);
// Those of which no run is missing in `kept`.
std::vector<Shape> finished(const Config& machine, const std::vector<Shape>& shapes,
                            const model::KeptRuns& kept);

// A published number and ours.
struct Finding {
  std::string what, published, ours;
  bool hit = false;
};

struct Report {
  std::vector<Finding> findings;
  std::string schedules_csv, parts_csv, findings_csv;
  std::string text;  // for the terminal
  bool passed() const;
};
Report report_of(const std::vector<ShapeTimes>& shapes);

}  // namespace t3sim::ficco
