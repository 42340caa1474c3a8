// Choices that a user would make by our numbers: is the faster of two named right?
#pragma once

#include "validation/measured/validation.h"

namespace t3sim {

// Pairs of rows that do the same work and differ in one choice that a user has: NCCL's channels, the order of
// a kernel's tiles, fused or one after the other, one stream or two, a kernel's tile, how all-gather and GEMM overlap. A pair counts where the
// answer is neither a draw nor obvious: the slower takes between 5 % more and twice the time of the faster. FiCCO's schedules, of
// which speed-ups are compared, are also held against one after the other, which these are over.
std::vector<MeasuredPair> measured_pairs(const std::vector<MeasuredCase>& cases);

}  // namespace t3sim
