// GEMM kernels of libraries on the machine, at the clock that their power allows.
#pragma once

#include "validation/measured/estimate/gemm_model.h"
#include "validation/measured/simulated/machine_runs.h"

namespace t3sim {

// Called over and over: at the boost clock if the series ends before the power limit acts, else at the clock that it
// settles at, which the result says.
MachineRunResult gemm_in_series(const MeasuredMachine& machine, const LibraryGemm& kernel,
                                const CallSeries& series, MachineRuns& runs);

// What it moves, which does not depend on the clock: one run.
MachineRunResult gemm_traffic_run(const MeasuredMachine& machine, const LibraryGemm& kernel,
                                  MachineRuns& runs);

// All GPUs, each storing the tiles of C into the GPU that owns their rows, at a clock of `hz`.
double owner_stores_seconds(const MeasuredMachine& machine, const LibraryGemm& kernel, std::uint32_t gpus,
                            bool shifted, std::uint64_t hz, MachineRuns& runs);

}  // namespace t3sim
