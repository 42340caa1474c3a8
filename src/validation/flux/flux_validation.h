// t3sim validate flux: Flux's evaluation, rerun (validation/flux/README.md).
#pragma once

#include <string>
#include <vector>

#include "validation/flux/cases.h"
#include "validation/paper/points.h"

namespace t3sim::flux {

// validation/flux/published.csv: what Flux's repository says of a case, in ms.
struct Published {
  Case of;
  double fused_ms = 0, separate_ms = 0, gemm_ms = 0;
};
std::vector<Published> read_published(const std::string& path);  // throws InputError

// Of a method in a case.
struct Row {
  Case of;
  Method method = Method::fused;
  double us = 0, sample_error_us = 0;
  double gemm_us = 0, collective_us = 0;  // each alone
  // Section 2.3: 1 - (time - GEMM) / collective; 0: as one after the other; 1: all is hidden.
  double efficiency() const { return 1 - (us - gemm_us) / collective_us; }
};

const Row* find(const std::vector<Row>& rows, const Case& c, Method method);  // null: there is none

struct Report {
  std::string text;        // for the terminal
  std::string runs_csv;    // a line a method and case
  std::string totals_csv;  // beside what is published
  bool passed = true;      // all totals within 10 %, all efficiencies within 10 points
};

struct Simulated {
  std::vector<Row> rows;
  std::string kept_lines;  // model::Points::kept_lines
};
// The GEMM and the collective run apart, and what does not overlap is their sum.
Simulated simulate(const std::vector<Run>& runs, const paper::PointOptions& options);
Report report_of(const std::vector<Row>& rows, const std::vector<Published>& published);

}  // namespace t3sim::flux
