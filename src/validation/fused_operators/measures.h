// What the figures of the fused operators' paper (Punniyamurthy et al., arXiv 2305.06942, section IV) are made of: runs of
// programs on mi210-x4 and mi210-ib2, with the inputs of validation/fused-operators/inputs.csv.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "machine/config.h"

namespace t3sim::fused_operators {

inline constexpr int kFigures[] = {8, 9, 10, 12, 13, 14};

// What the machines leave open, where it is not what their files say.
struct MachineInputs {
  std::optional<double> link_GBps, card_GBps;  // a direction
  std::optional<double> collective_launch_us, kernel_launch_us;
  std::optional<double> gemm_efficiency;  // of the matrix rate
};

// What the paper leaves open (inputs.csv).
struct Inputs {
  std::uint64_t pooling = 70;  // rows of a bag
  std::uint64_t table_rows = 100'000, tables = 256;
  std::uint64_t zipf = 0;    // 100 times the exponent of the draws; 0: uniform
  std::uint64_t unroll = 1;  // rows that a thread has under way
  std::uint64_t fused_places =
      7;  // workgroups on a CU. Section III-C: 12.5 % less, as it takes more registers
  std::uint64_t gemv_k = 4096;
  std::uint64_t gemm_m = 8192;
  MachineInputs machine;
};

// One time of a figure. Embeddings are run with two small numbers of tables, and the line through both gives that of the
// paper: workgroups are persistent, or have a kernel a table, so that each table adds as much as the one before. Persistent
// ones go through the bags in rounds, and a round that is not full takes as long as one that is: so both numbers are chosen
// such that rounds and bags grow alike (full_rounds.h).
struct Measure {
  int figure = 0;
  std::string bar, series;  // "2048|256", "fused"
  std::string machine, program;
  std::map<std::string, std::uint64_t> parameters;
  std::uint64_t fewer = 0, more = 0, tables = 0;  // 0: no embedding
  MachineInputs inputs;
};

std::vector<Measure> measures_of(int figure, const Inputs& inputs);

// The machine with the measure's program, of `tables` tables where it is an embedding.
Config configure(const Measure& measure, std::uint64_t tables, const std::vector<std::string>& overrides);

}  // namespace t3sim::fused_operators
