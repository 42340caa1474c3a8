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
  // Of a GPU's GEMM.
  double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(own_n()) * static_cast<double>(k);
  }
  // MT of section IV-D1: MK + NK + MN, in bytes of FP16; and OTB of section IV-C1, FLOPs for each of them.
  double traffic() const {
    const auto dm = static_cast<double>(m), dn = static_cast<double>(own_n()), dk = static_cast<double>(k);
    return 2 * (dm * dk + dn * dk + dm * dn);
  }
  double intensity() const { return flops() / traffic(); }
  double gathered_bytes() const { return 2.0 * static_cast<double>(m) * static_cast<double>(k); }
  Shape in_rows(std::uint64_t pieces) const { return {name, m / pieces, n, k}; }
  Shape in_k(std::uint64_t pieces) const { return {name, m, n, k / pieces}; }
};
const std::vector<Shape>& table_one();

enum class Run : std::uint8_t {
  gemm,   // whole, alone
  rows8,  // the GEMM in 8 pieces of rows, back to back
  rows64,
  columns8,  // ... of K, each of which adds to C
  columns64,
  gather,        // all shards at once, alone
  gather_small,  // the same in pieces of 1/8 shard
  gather_p2p,    // one shard after the other
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
inline constexpr Run kRuns[] = {Run::gemm,         Run::rows8,          Run::rows64,       Run::columns8,
                                Run::columns64,    Run::gather,         Run::gather_small, Run::gather_p2p,
                                Run::serial,       Run::shard_p2p,      Run::uniform_1d,   Run::uniform_2d,
                                Run::hetero_fused, Run::hetero_unfused, Run::rccl};
// Between which the heuristic chooses, and what they are held against.
inline constexpr Run kChoices[] = {Run::uniform_1d, Run::uniform_2d, Run::hetero_fused, Run::hetero_unfused};
inline constexpr Run kJudged[] = {Run::serial, Run::uniform_1d, Run::uniform_2d, Run::hetero_fused,
                                  Run::hetero_unfused};

// In which the first GEMM is M / 8 and goes on beside copies in pieces, copies of shards, CUs that send.
inline constexpr Run kContention[] = {Run::hetero_unfused, Run::shard_p2p, Run::rccl};

// The machine with the program of a run: GPU 0 for all, put together from phases (runtime/phases.h).
Config configure(const Config& machine, const Shape& shape, Run run);

// Section V-C: M > K takes 1D, else 2D; then OTB times MT, which is the GEMM's FLOPs: below the threshold uniform-fused-1d, above
// so many times it hetero-unfused-1d.
inline constexpr double kUnfusedTimes = 5;
Run heuristic(const Shape& shape, double threshold_flops);

}  // namespace t3sim::ficco
