// The paper's statements, beside what the runs say.
#pragma once

#include <vector>

#include "validation/fused_operators/validation.h"

namespace t3sim::fused_operators {

// Of the figures that were run.
std::vector<Finding> findings_of(const std::vector<Timed>& times);

}  // namespace t3sim::fused_operators
