// The paper's statements, beside what the runs say.
#pragma once

#include <vector>

#include "validation/fused_operators/validation.h"

namespace t3sim::fused_operators {

// Of the figures that were run. A mean with a band of up to 15 points is also hit if what is published lies in the band.
std::vector<Finding> findings_of(const std::vector<Timed>& times, const std::vector<Band>& bands);

}  // namespace t3sim::fused_operators
