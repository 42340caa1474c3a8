// What commands cost each other that are under way at the same time, by a short run of them.
//
// A long program is in the same state for long: the same commands under way, each at a pace of its own. A short run of those
// commands says what the paces are. Caches have to be as they would be: copies begin first and have the memory to themselves for a
// while, then GEMMs, then other kernels. Commands that are over too soon are repeated.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/config.h"
#include "program/program.h"

namespace t3sim {

// Bytes per us of each: what a kernel's workgroups ask for, or what arrives of a copy. 0: its workgroups have found no place.
struct Paces {
  std::vector<double> bytes_per_us;
  // Of kernels beside a GEMM that began before them and took all places on CUs: from when on, after that GEMM's first workgroup, they
  // find some. 0: at once.
  std::vector<double> place_us;
  struct Dram {
    double read = 0, written = 0;  // bytes per us
  };
  using AllDram = std::array<Dram, kTraffics>;
  AllDram dram;
  std::uint64_t events = 0;
  double host_seconds = 0;
};

// A command of GPU 0, which all GPUs carry out alike (gpus.model: mirror): a pull, or a kernel whose workgroups wait for nothing.
// `brief`: of a GEMM, that it is over within a short run, alone: its pace is then that of whole GEMMs, and else of its main loop.
struct Member {
  std::uint32_t command = 0;
  bool brief = false;
};
// Throws NoProgressError if one of them never begins.
Paces paces_of(const Config& config, const program::Program& program, const std::vector<Member>& members);

// DRAM moves over half of what it can at most, so that what a cache gives back to it delays others.
bool keeps_memory_busy(const Config& config, double bytes_per_us);

// How long a GEMM takes alone that is not brief; the latter if it keeps memory busy, and so goes less evenly.
inline constexpr double kLongGemmUs = 120, kLongBusyGemmUs = 400;

// A place that a workgroup of `gemm` leaves is this kernel's, and not the GEMM's next workgroup's.
bool has_first_place(const program::Command& kernel, const program::Command& gemm);

// Null: it is none.
const program::GemmBody* gemm_of(const program::Command& command);

// What a command is, whatever its arrays' places: two commands of one kind have the same pace in the same company.
std::string kind_of(const program::Program& program, const program::Command& command);

// All that the command moves, in the bytes of its pace; of GEMMs none, as a tile's loads depend on the kernel.
std::optional<double> whole_bytes(const program::Program& program, const program::Command& command);

}  // namespace t3sim
