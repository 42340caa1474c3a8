// What FiCCO's paper says, beside what the runs of some shapes say.
#pragma once

#include <optional>
#include <vector>

#include "validation/ficco/ficco_validation.h"

namespace t3sim::ficco {

// Speed-ups, decomposition and contention, each over all shapes; there is at least one.
std::vector<Finding> findings_of(const std::vector<ShapeTimes>& shapes);
// The heuristic with the threshold that suits `shapes` best, there and on shapes that it was not fitted on.
std::vector<Finding> heuristic_findings(const std::vector<ShapeTimes>& shapes,
                                        const std::vector<ShapeTimes>& unseen);

// FLOPs of a GPU's GEMM from which on the heuristic leaves uniform-fused-1d: the one that is right, or nearly, for most shapes;
// of those equally good the middle of the widest stretch. None: no shape has M > K, where alone it counts.
std::optional<double> fitted_threshold(const std::vector<ShapeTimes>& shapes);

}  // namespace t3sim::ficco
