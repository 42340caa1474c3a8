// Of values that a validation has, one for each case; there is at least one.
#pragma once

#include <vector>

namespace t3sim {

double geomean(const std::vector<double>& values);
double mean(const std::vector<double>& values);
double largest(const std::vector<double>& values);
// Spearman's, -1 to 1; equal values share their rank. 0 where all of one side are equal.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace t3sim
