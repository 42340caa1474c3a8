// Between which values the paper's means lie if what the paper leaves open lies anywhere in its range: one input at a time at
// either end of its range (inputs.csv), at the bar in the middle of the figure, and the mean moved by what that bar moves.
// Without those that can move no mean by half a point: one collective's launch beside 256 tables (7 us of 19 ms), and the
// rows of a table, which the L2 does not hold at either end.
#pragma once

#include <string>
#include <vector>

#include "validation/fused_operators/validation.h"

namespace t3sim::fused_operators {

inline constexpr int kBandFigures[] = {8, 9, 10, 12};  // of mean savings

// One input at one end of its range, the others where they were.
struct InputEnd {
  std::string input, value;
  Inputs inputs;
};
std::vector<InputEnd> input_ends(int figure, const Inputs& inputs);

// The figure's bar in the middle: baseline and fused.
std::vector<Measure> middle_of(int figure, const Inputs& inputs);

// What is to be run for the bands of these figures; `ends`: its times, in the same order.
std::vector<Measure> measures_of_ends(const std::vector<int>& figures, const Inputs& inputs);
std::vector<Band> bands_of(const std::vector<int>& figures, const Inputs& inputs,
                           const std::vector<Timed>& times, const std::vector<Timed>& ends);

}  // namespace t3sim::fused_operators
