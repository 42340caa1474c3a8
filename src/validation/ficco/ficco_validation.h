// t3sim validate ficco: the evaluation of FiCCO, rerun (validation/ficco/README.md).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/points.h"
#include "validation/ficco/study.h"

namespace t3sim::ficco {

struct Timed {
  double us = 0, sample_error_us = 0;
  std::optional<Contention> together;  // of the first GEMM and the first communication beside it
};

// Of a shape: time of each of kRuns, or of kJudged.
struct ShapeTimes {
  Shape shape;
  std::map<Run, Timed> runs;

  double us(Run run) const { return runs.at(run).us; }
  double speedup(Run run) const { return us(Run::serial) / us(run); }
  // Section IV-A: as if pieces took their share of the whole, one of eight steps exposed.
  double ideal() const;
  Run best() const;  // of FiCCO's schedules by copy engines
  bool nearly_best(Run run) const { return us(run) <= kNearly * us(best()); }
  static constexpr double kNearly = 1.02;
};

struct Simulated {
  std::vector<ShapeTimes> shapes, unseen;
  std::string kept_lines;  // of these runs, for model::KeptRuns
};
// All runs of `shapes`, those of kJudged of `unseen`.
Simulated simulate(const Config& machine, const std::vector<Shape>& shapes, const std::vector<Shape>& unseen,
                   const model::PointOptions& options);
// Those of which no such run is missing in `kept`.
std::vector<Shape> finished(const Config& machine, const std::vector<Shape>& shapes,
                            const model::KeptRuns& kept, bool unseen);

// A published number and ours.
struct Finding {
  std::string what, published, ours;
  bool hit = false;
  bool judged = true;  // false: only set beside it
};

struct Report {
  std::vector<Finding> findings;
  std::string schedules_csv, parts_csv, contention_csv, heuristic_csv, findings_csv;
  std::string text;  // for the terminal
  bool passed() const;
};
Report report_of(const Simulated& simulated);

}  // namespace t3sim::ficco
