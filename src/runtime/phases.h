// A long program put together from short runs (run.sampling: phases).
//
// Between two commands' beginnings or ends the same commands are under way: a phase. How fast each goes then, in the company of
// the others, a short run of them says (runtime/company.h); commands of the same kinds have been seen before. What a GEMM takes
// alone is simulated apart, as its waves of tiles are no even pace (runtime/sampling.h). So nothing is simulated for as long as
// the program takes, and a phase that lasts a hundred times as long costs no more.
//
// For programs that are alike on all GPUs (gpus.model: mirror), of copies, GEMMs, sums, events and signals between streams. What
// happens where a phase ends is left out: a kernel's first loads, a tail beside the next command's start.
#pragma once

#include "machine/config.h"
#include "program/program.h"
#include "runtime/sampling.h"

namespace t3sim {

// Throws InputError for what it does not know. GEMMs alone that another run of this process has had are not simulated again.
SampledRun run_phases(const Config& config, const program::Program& program,
                      const std::function<void(double)>& progress = {});

}  // namespace t3sim
