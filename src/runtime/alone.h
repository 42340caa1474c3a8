// Parts of a program, each alone: what its overlap is held against. Nothing in them waits for anything but its stream.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "machine/config.h"
#include "program/program.h"
#include "runtime/program_run.h"

namespace t3sim {

// Copies, collectives, and kernels whose output is in another GPU's memory.
bool communicates(const program::Action& action);
// All other kernels.
bool computes(const program::Action& action);

struct PartOfProgram {
  static constexpr std::uint32_t kNew = ~0U;
  program::Program program;
  std::vector<std::vector<std::uint32_t>>
      numbers;  // by GPU and command: which one of the whole program it is
  bool empty() const;
};

// Kernels that do not communicate, or only GEMMs of them, one at a time in the order in which they began in `result`, whatever
// their streams; what they store elsewhere stays in the own memory.
PartOfProgram kernels_alone(const program::Program& program, const ProgramResult& result,
                            bool only_gemms = false);
// What communicates; and what tiles store into other memories, as copies, each target's in a stream of its own.
PartOfProgram communication_alone(const program::Program& program);

// The GEMM that all GEMMs of the GPU with most of them are pieces of: of rows (they have one B), of columns (one A), or of K
// (one C, and they add to it). As a program that every GPU runs, with the kernel that the machine chooses for it. None if
// they are no pieces, or there is one.
std::optional<program::Program> whole_gemm(const Config& config, const program::Program& program);
// The copies of communication_alone(), those between two GPUs in one, all at once.
program::Program whole_copies(const program::Program& communication);

}  // namespace t3sim
