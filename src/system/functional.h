// Functional mode: what every GPU's GEMM produces, and whether the collective has added it up.
#pragma once

#include <vector>

#include "system/gpu.h"
#include "system/output/results.h"

namespace t3sim {

// Empty memories and each GPU's own partial results: small integers from run.seed, the GPU and the element.
std::vector<FunctionalGpu> functional_state(const Config& config);

// After reduce-scatter and all-gather every element of every GPU's output must be the sum over all GPUs.
FunctionalResult check_sums(const Config& config, const std::vector<FunctionalGpu>& state);

}  // namespace t3sim
