// t3sim validate fused-operators: the paper's figures, rerun (validation/fused-operators/README.md).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/points.h"
#include "validation/fused_operators/measures.h"

namespace t3sim::fused_operators {

struct Timed {
  Measure measure;
  double us = 0;
  std::vector<double> gpu_us;  // by GPU
  double sample_error_us = 0;
};

// `overrides`: path.to.key=value, of all machines.
std::vector<Timed> simulate(const std::vector<Measure>& measures, const std::vector<std::string>& overrides,
                            const model::PointOptions& options);

// By how many points the mean saving of a figure moves with each input at an end of its range (bands.h).
struct Band {
  int figure = 0;
  struct Move {
    std::string input, value;
    double points = 0;
  };
  std::vector<Move> moves;
};

// A published number and ours; `held`: it decides whether the command succeeds. Of a mean with a band: from where to where
// it reaches, and the input that moves it most.
struct Finding {
  std::string what, published, ours;
  bool hit = false, held = true;
  std::string low, high, decides;
};

struct Report {
  std::vector<Finding> findings;
  std::vector<std::pair<std::string, std::string>> files;  // name, content
  std::string text;                                        // for the terminal
  bool passed() const;
};
Report report_of(const std::vector<Timed>& times, const std::vector<Band>& bands = {});

}  // namespace t3sim::fused_operators
