#include "validation/statistics.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"

namespace t3sim {
namespace {

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (double v : values) {
    double below = 0, equal = 0;
    for (double w : values) {
      below += w < v;
      equal += w == v;
    }
    ranks.push_back(below + (equal + 1) / 2);
  }
  return ranks;
}

}  // namespace

double geomean(const std::vector<double>& values) {
  double sum = 0;
  for (double v : values) sum += std::log(v);
  return std::exp(sum / real(values.size()));
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (double v : values) sum += v;
  return sum / real(values.size());
}

double largest(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> ra = ranks(a), rb = ranks(b);
  const double ma = mean(ra), mb = mean(rb);
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < ra.size(); ++i) {
    ab += (ra[i] - ma) * (rb[i] - mb);
    aa += (ra[i] - ma) * (ra[i] - ma);
    bb += (rb[i] - mb) * (rb[i] - mb);
  }
  return aa == 0 || bb == 0 ? 0 : ab / std::sqrt(aa * bb);
}

}  // namespace t3sim
