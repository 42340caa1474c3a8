#include "kernel/drawn_rows.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"

namespace t3sim {
namespace {

std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

}  // namespace

DrawnRows::DrawnRows(const BagSpec& spec) : spec_(spec) {
  if (spec.skew == 0) return;
  cumulative_.reserve(spec.rows);
  double sum = 0;
  for (std::uint64_t rank = 1; rank <= spec.rows; ++rank)
    cumulative_.push_back(sum += std::pow(static_cast<double>(rank), -spec.skew));
  for (double& share : cumulative_) share /= sum;
}

std::uint64_t DrawnRows::row(std::uint32_t bag, std::uint32_t i) const {
  const std::uint64_t drawn = mix(mix(spec_.seed) ^ (std::uint64_t{bag} << 32 | i));
  const auto table = narrow<std::uint32_t>(std::uint64_t{bag} * spec_.tables / spec_.bags);
  const std::uint64_t first = table * spec_.rows;
  if (cumulative_.empty()) return first + drawn % spec_.rows;
  const double share = static_cast<double>(drawn >> 11) / 9007199254740992.0;  // 2^53
  const auto rank = std::ranges::upper_bound(cumulative_, share) - cumulative_.begin();
  return first + ranked(std::min<std::uint64_t>(narrow<std::uint64_t>(rank), spec_.rows - 1), table);
}

// A permutation of the ranks: times a number that has no divisor in common with how many there are.
std::uint64_t DrawnRows::ranked(std::uint64_t rank, std::uint32_t table) const {
  std::uint64_t factor = 0x9E3779B1U % spec_.rows;
  const auto divides = [&](std::uint64_t a, std::uint64_t b) {
    while (b != 0) a = std::exchange(b, a % b);
    return a != 1;
  };
  while (spec_.rows > 1 && divides(factor, spec_.rows)) ++factor;
  return (rank * factor + mix(table ^ spec_.seed) % spec_.rows) % spec_.rows;
}

}  // namespace t3sim
