// The program that a configuration names, for its machine.
#pragma once

#include "machine/config.h"
#include "program/evaluate.h"

namespace t3sim {

// Which GEMM kernel a launch runs: the one that it names, or the generator's with the tile that it says; else
// workload.kernel; else the one that gpu.kernels chooses. `config` must outlive it.
program::KernelRule machine_kernels(const Config& config);

// Evaluated for the configuration's GPUs and parameters, and checked. Throws InputError.
program::Program load_program(const Config& config);
// Its GEMMs run by the kernels that are chosen for those of `kernels_of`, one after the other: shorter runs of the same program.
program::Program load_program(const Config& config, const Config& kernels_of);

}  // namespace t3sim
