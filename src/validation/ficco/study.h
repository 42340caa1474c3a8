// What FiCCO's evaluation runs: its Table I, a program for each schedule, and what they are held against.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "machine/config.h"

namespace t3sim::ficco {

// Table I is global: a GPU of eight computes M x N / 8 x K. Rows of experts are read likewise: M is what a GPU's
// experts get from all GPUs in equal parts.
struct Shape {
  std::string name;
  std::uint64_t m = 0, n = 0, k = 0;  // n: of all GPUs
  std::uint64_t own_n() const { return n / 8; }
  double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(own_n()) * static_cast<double>(k);
  }
};
const std::vector<Shape>& table_one();

enum class Run : std::uint8_t {
  gemm,          // whole, alone, on one GPU
  gather,        // all shards at once, alone
  gather_small,  // the same in pieces of 1/8 shard
  gather_p2p,    // one shard after the other
  rows8,         // the GEMM in 8 pieces of rows, back to back
  columns8,      // ... of K
  serial,
  shard_p2p,
  uniform_1d,
  uniform_2d,
  hetero_fused,
  hetero_unfused,
  rccl,
};
std::string_view to_string(Run run);
// Those that overlap.
inline constexpr Run kSchedules[] = {Run::shard_p2p,    Run::uniform_1d,     Run::uniform_2d,
                                     Run::hetero_fused, Run::hetero_unfused, Run::rccl};
inline constexpr Run kRuns[] = {Run::gemm,       Run::gather,     Run::gather_small, Run::gather_p2p,
                                Run::rows8,      Run::columns8,   Run::serial,       Run::shard_p2p,
                                Run::uniform_1d, Run::uniform_2d, Run::hetero_fused, Run::hetero_unfused,
                                Run::rccl};

// The machine with the program of a run: GPU 0 for all where all do the same, and short runs for long ones.
Config configure(const Config& machine, const Shape& shape, Run run);

// Section V-C: M > K takes 1D, else 2D; then OTB times MT, which is the GEMM's FLOPs.
Run heuristic(const Shape& shape, double threshold_flops);

}  // namespace t3sim::ficco
