#include "model/call_overhead.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"

namespace t3sim::model {
namespace {

constexpr std::uint64_t kSmall = 4 << 10, kLarge = 1 << 20;

}  // namespace

double CallOverhead::percent(std::uint64_t message) const {
  const double at = std::log(real(std::clamp(message, kSmall, kLarge)) / real(kSmall)) /
                    std::log(real(kLarge) / real(kSmall));
  return small + at * (large - small);
}

CollectiveCost CallOverhead::over(const CollectiveCost& cost, std::uint64_t message) const {
  CollectiveCost more = cost;
  more.overhead = static_cast<Picoseconds>(std::llround(real(cost.time) * percent(message) / 100));
  more.add(more.overhead);
  return more;
}

}  // namespace t3sim::model
