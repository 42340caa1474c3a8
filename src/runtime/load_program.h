// The program that a configuration names, for its machine.
#pragma once

#include "machine/config.h"
#include "program/evaluate.h"

namespace t3sim {

// Which GEMM kernel a launch runs: the named one; else the generator's with the tile that the launch says; else the one
// that gpu.kernels chooses. `config` must outlive it.
program::KernelRule machine_kernels(const Config& config);

// Evaluated for the configuration's GPUs and parameters, and checked. Throws InputError.
program::Program load_program(const Config& config);

}  // namespace t3sim
