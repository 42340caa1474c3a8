// What a program's matrix products take at least.
#pragma once

#include "machine/config.h"
#include "program/program.h"

namespace t3sim {

// On the GPU that has most of them, all CUs' matrix units at the rate that a kernel can issue, in us. A GPU's only GEMM has whole
// tiles on each CU. No program is faster.
double least_products_us(const Config& config, const program::Program& program);

}  // namespace t3sim
