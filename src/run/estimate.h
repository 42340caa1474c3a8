// What a run will take on this computer, from its configuration alone.
#pragma once

#include <cstdint>

#include "machine/config.h"
#include "machine/phase.h"

namespace t3sim {

struct RunEstimate {
  std::uint64_t input_lines = 0;   // 128-byte lines of A and B that the workgroups of a GPU load
  std::uint64_t output_lines = 0;  // of C
  std::uint64_t events = 0;        // of all phases of all schemes
  double seconds = 0;              // CPU time
  std::uint64_t memory_bytes = 0;
};

// The rule: a phase has so many events for each line that a GPU's workgroups load, and so many for each line of the output
// that it moves, as measured on runs of 0.7 to 700 million events; an event takes 0.11 or 0.3 us (estimate.cpp). A test holds
// the events and the memory within a factor of two of what runs take. A kernel from a trace: nothing is known of its loads, all is 0.
RunEstimate estimate(const Config& config);

// Of a phase, by the same rule, on one GPU; 0 without a GEMM. A collective counts as if it were on the output, also where it is
// on the input.
double estimated_events(const Config& config, const Phase& phase);

}  // namespace t3sim
