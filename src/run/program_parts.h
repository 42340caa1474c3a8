// Why a program's GPUs take longer than their kernels do alone: times of commands, held against runs of the kernels alone and
// with links that hold nothing up.
#pragma once

#include <optional>

#include "runtime/configured_run.h"

namespace t3sim {

// Means over the GPUs, in us. Times with a kernel are those of the union of all that compute.
struct ProgramParts {
  // The time with a kernel when they run alone, one at a time (runtime/alone.h).
  double kernels_alone_us = 0;
  // Only kernels whose workgroups poll words run: longer than these do alone.
  double polling_us = 0;
  // Alone, kernels take so much longer on the CUs that collectives beside them leave.
  double lost_cus_us = 0;
  // A barrier is at the front of a stream, and nothing computes or communicates.
  double barriers_us = 0;
  // Where kernels store into other GPUs, faster links save so much of the time with a kernel and of that at barriers. Polling
  // and barriers are what is left of them then.
  double kernels_at_links_us = 0;
  double barriers_at_links_us = 0;
};

// One run more; another one where collectives hold CUs beside kernels, and where kernels store into other GPUs. None of a
// program without kernels, nor of one that is extrapolated, as its commands have no times.
std::optional<ProgramParts> parts_of(const ConfiguredRun& run);

}  // namespace t3sim
