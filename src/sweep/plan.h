// The points of a sweep: every one composed, checked and named by the hash of what decides its result.
#pragma once

#include <string>
#include <vector>

#include "sweep/sweep_file.h"

namespace t3sim::sweep {

// A column of the results that tells points apart.
struct PlanColumn {
  std::string name;  // "topology_bandwidth_GBps"
  bool numeric = false;
};

struct Point {
  std::size_t index = 0;
  std::string key;                       // SHA-256 of configuration, inputs and program
  std::string label;                     // "preset=small, gpus.count=8"
  std::vector<std::string> values;       // one a column
  std::string config;                    // complete, as config.yaml has it
  std::vector<config::InputFile> files;  // that the configuration names: traces, schemes, programs
  std::string command;                   // runs this point alone
  double work = 0;                       // what it costs, in arbitrary units: for times left
};

// A point that cannot be run, left out because the sweep says so.
struct InvalidPoint {
  std::string label;
  std::string why;
};

struct Plan {
  std::string sweep;    // name
  std::string program;  // version, see program_id()
  std::vector<PlanColumn> columns;
  std::vector<Point> points;
  FurtherColumns further;
  std::vector<InvalidPoint> invalid;
  std::size_t left_out = 0;  // by `where`; not in the plan's text
};

// Composes and checks every point. Throws InputError naming file, line and point, for the first point that
// cannot be run.
Plan make_plan(const SweepFile& sweep);

// What names a point without files: the hash of it. Counters that a point has to count are part of what it is.
std::string named_by(const std::string& program, const std::string& config, const FurtherColumns& further);

// Version and commit; where the commit does not name the sources, the program's own hash too.
const std::string& program_id();

// As text, one line a point; reading it gives an equal plan. Throws std::runtime_error if `text` is no plan.
std::string plan_text(const Plan& plan);
Plan parse_plan(const std::string& text);

}  // namespace t3sim::sweep
