#include "validation/fused_operators/full_rounds.h"

#include <cmath>

#include "base/number.h"

namespace t3sim::fused_operators {
namespace {

std::uint64_t rounds_of(std::uint64_t bags, std::uint64_t workgroups) {
  return (bags + workgroups - 1) / workgroups;
}

}  // namespace

double slope_error(std::uint64_t batch, std::uint64_t workgroups, std::uint64_t fewer, std::uint64_t more) {
  const std::uint64_t rounds = rounds_of(more * batch, workgroups) - rounds_of(fewer * batch, workgroups);
  return std::abs(real(rounds) * real(workgroups) / real((more - fewer) * batch) - 1);
}

std::pair<std::uint64_t, std::uint64_t> tables_of_full_rounds(std::uint64_t batch, std::uint64_t workgroups) {
  constexpr std::uint64_t kFewest = 2048, kMost = 14336;  // bags; the fewer: over two rounds
  constexpr double kEnough = 0.02;
  std::pair<std::uint64_t, std::uint64_t> best{0, 0};
  double best_error = 1;
  for (std::uint64_t bags = 2; bags * batch <= 2 * kMost; ++bags)  // of both runs: the cheapest first
    for (std::uint64_t fewer = kFewest / batch; 3 * fewer <= bags; ++fewer) {
      const std::uint64_t more = bags - fewer;  // twice as many at least
      const double error = slope_error(batch, workgroups, fewer, more);
      if (more * batch > kMost || error >= best_error || best_error <= kEnough) continue;
      best = {fewer, more};
      best_error = error;
    }
  return best;
}

}  // namespace t3sim::fused_operators
