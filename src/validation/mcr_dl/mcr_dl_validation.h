// t3sim validate mcr-dl: MCR-DL's evaluation, rerun (validation/mcr-dl/README.md).
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "validation/mcr_dl/models.h"
#include "validation/mcr_dl/runs.h"

namespace t3sim::mcr_dl {

struct Options {
  std::string data = "validation/mcr-dl";  // study.yaml, published.csv, table2.csv
  std::string kept = "out/mcr-dl-runs";
  bool bands = true;  // also with every value at both ends of its range
  bool quiet = false;
};

// Of a model on so many GPUs.
struct Row {
  Model model = Model::moe;
  std::uint32_t gpus = 0;
  std::string policy;     // "nccl", "by operation", "by size"
  bool baseline = false;  // under PyTorch's framework, else MCR-DL's
  StepTime step;
  double efficiency = 0;  // percent: of the throughput a GPU has at the first scale
};

// A published number, ours, and what the ranges leave open.
struct Finding {
  std::string id, what;
  double published = 0, ours = 0, low = 0, high = 0;
  bool hits() const { return low <= published && published <= high && high - low <= 15; }
};

struct Check {
  std::string what;
  bool holds = false;
};

struct Report {
  std::vector<Row> rows;
  std::vector<Finding> findings;
  std::vector<Check> checks;
  std::string text;
  std::vector<std::pair<std::string, std::string>> files;  // name, content
  bool passed() const;
};

// Throws InputError.
Report validate(const Options& options);

}  // namespace t3sim::mcr_dl
