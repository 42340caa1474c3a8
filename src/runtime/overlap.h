// What overlap gains and costs: a program held against its kernels and its communication, each alone.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "runtime/program_run.h"

namespace t3sim {

// Times in us until the last GPU is done; ratios are of times.
struct Overlap {
  double time_us = 0;
  double kernels_us = 0;                  // alone, one after the other
  double gemms_us = 0;                    // of them the GEMMs
  double communication_us = 0;            // likewise
  std::optional<double> whole_gemm_us;    // the GEMM that its GEMMs are pieces of (runtime/alone.h)
  std::string whole_gemm;                 // "16384 x 2048 x 8192"
  std::optional<double> whole_copies_us;  // all copies between two GPUs in one

  // What is not split and does not overlap: one after the other.
  double compute_us() const { return whole_gemm_us.value_or(kernels_us); }
  double sequential_us() const { return compute_us() + whole_copies_us.value_or(communication_us); }
  // Flux, section 2.3: 1 - (time - GEMM) / (sequential - GEMM). 1: all communication is hidden; below 0: slower than
  // one after the other. None where nothing communicates.
  std::optional<double> efficiency() const;
  // FiCCO, section IV-A: pieces alone against the whole (decomposition), with all that runs beside them against alone
  // (contention). Contention is of the commands' own times; kernels are alone one at a time, those that wait for words
  // are left out.
  std::optional<double> gemm_decomposition() const;
  std::optional<double> copy_decomposition() const;
  std::optional<double> kernel_contention, communication_contention;
};

// Three to five runs more. `result` is of `program` on `config`, all of it simulated.
Overlap overlap_of(const Config& config, const program::Program& program, const ProgramResult& result,
                   unsigned threads);

}  // namespace t3sim
