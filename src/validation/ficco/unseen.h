// Shapes on which FiCCO's heuristic is judged, other than those that its threshold was fitted on.
#pragma once

#include <cstdint>
#include <vector>

#include "validation/ficco/study.h"

namespace t3sim::ficco {

// The first `count` of a sequence that `seed` decides. Each of M, N / 8 and K is 2^x, x even over a range, rounded to a multiple of
// what pieces need: M from 8,192 to 524,288 (multiples of 8,192), N / 8 from 1,024 to 8,192 (of 256), K from 2,048 to 262,144 (of
// 2,048); drawn again unless the GPU's GEMM has 4 to 32 TFLOP, the range of Table I but for its three longest.
std::vector<Shape> unseen_shapes(std::uint64_t seed, std::size_t count);

}  // namespace t3sim::ficco
