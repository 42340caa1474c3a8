// What the figures of the fused operators' paper (Punniyamurthy et al., arXiv 2305.06942, section IV) are made of: runs of
// programs on mi210-x4 and mi210-ib2, with the inputs of validation/fused-operators/inputs.csv.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "machine/config.h"

namespace t3sim::fused_operators {

inline constexpr int kFigures[] = {8, 9, 10, 12, 13, 14};

// What the paper leaves open and a run may choose (validate fused-operators --input); pooling: rows of a bag.
struct Inputs {
  std::uint64_t pooling = 70, table_rows = 100'000, tables = 256, gemv_k = 4096;
};

// One time of a figure. Embeddings are run with two small numbers of tables, and the line through both gives that of the
// paper: workgroups are persistent, or have a kernel a table, so that each table adds as much as the one before.
struct Measure {
  int figure = 0;
  std::string bar, series;  // "2048|256", "fused"
  std::string machine, program;
  std::map<std::string, std::uint64_t> parameters;
  std::uint64_t fewer = 0, more = 0, tables = 0;  // 0: no embedding
};

std::vector<Measure> measures_of(int figure, const Inputs& inputs);

// The machine with the measure's program, of `tables` tables where it is an embedding.
Config configure(const Measure& measure, std::uint64_t tables, const std::vector<std::string>& overrides);

}  // namespace t3sim::fused_operators
