// The program of a configuration, as `run.clock` and `run.sampling` say.
#pragma once

#include <functional>
#include <string>

#include "runtime/overlap.h"
#include "runtime/sampling.h"

namespace t3sim {

struct ConfiguredRun {
  Config config;          // at the clock that the run has settled at
  std::string gpu_model;  // gpus.model: auto: which GPUs were simulated, and why
  program::Program program;
  ProgramResult result;
  std::optional<Sample> sample;    // what the result was extrapolated from; none: all was simulated
  unsigned runs = 0;               // that it took
  std::optional<Overlap> overlap;  // where somebody asks for it: overlap_of()
};

// Throws InputError for what is wrong with the program, and what run_program() throws.
//
// run.clock: power. The clock and the time depend on each other: runs until what a run needs is the clock that it ran at,
// to a step (kClockStep); four runs at most. All GPUs have the clock of the one that needs the lowest.
// `short_run`: with run.sampling: auto, in simulated_bytes().
ConfiguredRun run_configured(const Config& config, const std::function<void(double)>& progress = {},
                             unsigned threads = 1, double short_run = kShortRun);

}  // namespace t3sim
