// GEMM kernels of libraries on the machine, at the clock that their power allows.
#pragma once

#include "validation/measured/estimate/gemm_model.h"
#include "validation/measured/simulated/machine_runs.h"

namespace t3sim {

// Back to back, with `pause_s` between two in which the matrix units rest.
MachineRunResult settled_gemm(const MeasuredMachine& machine, const LibraryGemm& kernel, double pause_s,
                              MachineRuns& runs);

// What it moves, which does not depend on the clock: one run.
MachineRunResult gemm_traffic_run(const MeasuredMachine& machine, const LibraryGemm& kernel,
                                  MachineRuns& runs);

// All GPUs, each storing the tiles of C into the GPU that owns their rows.
double owner_stores_seconds(const MeasuredMachine& machine, const LibraryGemm& kernel, std::uint32_t gpus,
                            bool shifted, MachineRuns& runs);

}  // namespace t3sim
