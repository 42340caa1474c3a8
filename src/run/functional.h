// Functional mode: what every GPU's memory holds at first, and whether a scheme has made of it what the
// collective promises.
#pragma once

#include <vector>

#include "machine/gpu.h"
#include "results/results.h"
#include "run/collectives.h"

namespace t3sim {

// Each GPU's own values (small integers from run.seed, the GPU, the element and the part of split-K), and,
// where the collective is not of the GEMM's output, memories that hold what is there before the scheme.
std::vector<FunctionalGpu> functional_state(const Config& config, const Collectives& collectives);

// Compares memory with what the collective leaves behind: everybody's sum everywhere (all-reduce) or with its
// owner (reduce-scatter), copies (all-gather), what each GPU has sent (all-to-all). `exchange` decides who owns
// a chunk.
FunctionalResult check_result(const Config& config, const Collectives& collectives,
                              const ExchangeForm& exchange, const std::vector<FunctionalGpu>& state);

}  // namespace t3sim
