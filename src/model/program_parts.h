// Why a program's GPUs take longer than their kernels do alone: times of commands, held against a run of the kernels alone.
#pragma once

#include <optional>

#include "runtime/configured_run.h"

namespace t3sim::model {

// Means over the GPUs, in us.
struct ProgramParts {
  double kernels_alone_us = 0;  // the time with a kernel when they run alone, one at a time (runtime/alone.h)
  double polling_us = 0;        // launches whose workgroups poll words: longer than alone
  double barriers_us = 0;       // a barrier is at the front of a stream, and nothing computes or communicates
};

// One run more. None of a program without kernels, nor of one that is extrapolated, as its commands have no times.
std::optional<ProgramParts> parts_of(const ConfiguredRun& run);

}  // namespace t3sim::model
