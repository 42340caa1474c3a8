#include "results/results.h"

#include <cstdlib>

#include "base/number.h"

namespace t3sim {

double GapResult::unexplained_share() const {
  std::int64_t sizes = 0;
  for (const auto& [key, ps] : parts_ps) sizes += std::abs(ps);
  return sizes == 0 ? 0 : real(std::abs(parts_ps.back().second)) / real(sizes);
}

const Ordered<Number>& SchemeResult::of(std::string_view component) const {
  static const Ordered<Number> none;
  for (const auto& [key, values] : counters)
    if (key == component) return values;
  return none;
}

}  // namespace t3sim
