// What is in a trace: bytes by kind, work, and how it falls into stages on a machine that computes without
// ever waiting.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernel/gemm.h"
#include "kernel/program.h"

namespace t3sim {

// The machine on which stages are drawn: memory never makes it wait, stores leave at a fixed rate.
struct IdealMachine {
  std::uint32_t cus = 80;
  std::uint32_t workgroups_per_cu = 2;          // where the kernel does not say
  std::uint32_t matrix_flops_per_cycle = 1024;  // a CU
  std::uint32_t store_bytes_per_cycle = 640;    // all CUs together: 0.9 TB/s at 1.4 GHz
  std::uint32_t clock_mhz = 1400;
};

// Whose bytes they are, where the GEMM's matrices are known.
enum class Operand : std::uint8_t { a, b, c, other };
inline constexpr std::size_t kOperands = 4;

// Workgroups that run at the same time (section 2.5), or the n-th tiles of persistent workgroups.
struct StageSummary {
  std::uint32_t tiles = 0;
  std::uint64_t load_bytes = 0, store_bytes = 0;
  std::uint64_t useful_flops = 0;
  // In nanoseconds. Stages overlap: a workgroup starts as soon as another one ends.
  double begin_ns = 0, first_store_ns = 0, end_ns = 0;
};

inline constexpr std::uint32_t kNoStage = ~0U;

struct TraceSummary {
  std::uint64_t groups = 0;
  std::uint64_t load_runs = 0, store_runs = 0;
  std::array<std::uint64_t, kOperands> load_bytes{};  // before any cache
  std::uint64_t store_bytes = 0, update_bytes = 0;
  std::uint64_t touched_load_bytes = 0, touched_store_bytes = 0;  // each sector once
  std::uint64_t matrix_flops = 0, useful_flops = 0, cycles = 0;
  std::uint32_t workgroups_per_stage = 0;
  std::vector<StageSummary> stages;
  std::vector<std::uint32_t> stage_of_tile;  // by canonical index; empty without a GEMM

  std::uint64_t all_load_bytes() const;
  double end_ns() const;
};

// Walks the whole kernel once.
TraceSummary summarize(KernelSource& kernel, const std::optional<GemmSpec>& gemm,
                       const IdealMachine& machine);

}  // namespace t3sim
