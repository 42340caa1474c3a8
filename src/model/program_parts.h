// Why a program's GPUs take longer than their kernels do alone: times of commands, held against a run of the kernels alone.
#pragma once

#include <optional>

#include "runtime/configured_run.h"

namespace t3sim::model {

// Means over the GPUs, in us.
struct ProgramParts {
  double kernels_alone_us = 0;  // the time with a kernel when they run alone, one at a time (runtime/alone.h)
  double polling_us = 0;        // launches whose workgroups poll words: longer than alone
  double lost_cus_us = 0;  // alone, kernels take so much longer on the CUs that collectives beside them leave
  double stores_us = 0;    // with links that never hold up a store, kernels would take so much less time
  double barriers_us = 0;  // a barrier is at the front of a stream, and nothing computes or communicates
};

// One run more; another one where collectives hold CUs beside kernels, and where kernels store into other GPUs. None of a program without kernels, nor of one that is extrapolated, as its commands have no times.
std::optional<ProgramParts> parts_of(const ConfiguredRun& run);

}  // namespace t3sim::model
