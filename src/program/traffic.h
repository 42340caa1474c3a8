// What a program moves between GPUs and computes, by its text alone.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.h"

namespace t3sim::program {

struct Work {
  std::uint64_t flops = 0;  // of GEMMs, 2 m n k each
  std::uint64_t gemms = 0;
  std::uint64_t collectives = 0;
  std::uint64_t collective_bytes = 0;  // of their inputs
};
Work work_of(const GpuCommands& gpu, const Program& program);

// Bytes that copies, kernels' loads and tiles' stores bring from one GPU's memory into another: [from][to]. What
// collectives move is their algorithm's.
std::vector<std::vector<std::uint64_t>> bytes_between(const Program& program);

}  // namespace t3sim::program
