// Choices that a user would make by our numbers: is the faster of two named right?
#pragma once

#include "validation/measured/validation.h"

namespace t3sim {

// Pairs whose measured times differ by more than 10 %: the same work done in two ways (channels; order of the
// tiles; fused against one after the other).
std::vector<MeasuredPair> measured_pairs(const std::vector<MeasuredCase>& cases);

}  // namespace t3sim
