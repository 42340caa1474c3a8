// Which GEMM kernel a launch runs on a machine.
#pragma once

#include "machine/config.h"
#include "program/evaluate.h"

namespace t3sim {

// The named one; else the generator's with the tile that the launch says; else the one that gpu.kernels chooses.
// `config` must outlive it.
program::KernelRule machine_kernels(const Config& config);

}  // namespace t3sim
