#include "kernel/tuned_tile.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"

namespace t3sim {
namespace {

constexpr std::uint32_t kLengths[] = {256, 128, 64};  // of a tile
constexpr std::uint32_t kMostParts = 64;              // of K
constexpr double kPartBytes = 4;                      // sums of parts are FP32

// K steps as long as two of them fit into the LDS, 64 at most.
std::uint32_t step_of(std::uint32_t m, std::uint32_t n, double element, std::uint64_t lds_bytes) {
  std::uint32_t step = 64;
  while (step > 16 && 2 * real((m + n) * step) * element > real(lds_bytes)) step /= 2;
  return step;
}

// Neither waits for the other, but where the L2 is busy for more than half of the time, its replies come late. The cubes are chosen by
// simulations of one shape on an MI300X (docs/kernels.md).
double beside_each_other(double product, double loads) {
  return std::cbrt(product * product * product + loads * loads * loads);
}

double cycles(const GemmShape& shape, const TunedTile& t, double element, const TileRates& rates) {
  const double area = real(t.tile.m) * t.tile.n, edges = real(t.tile.m + t.tile.n);
  const double steps = real(ceil_div(ceil_div(shape.k, t.split_k), t.tile.k) * t.tile.k);
  const double product = 2 * area / rates.flops_per_cycle,
               loads = edges * element / rates.load_bytes_per_cycle;
  const double store = area * (t.split_k > 1 ? kPartBytes : element) / rates.load_bytes_per_cycle;
  const auto tiles = ceil_div(shape.m, t.tile.m) * ceil_div(shape.n, t.tile.n) * t.split_k;
  const double waves = real(ceil_div(tiles, std::uint64_t{rates.cus}));
  const double sum = t.split_k == 1 ? 0
                                    : rates.launch_cycles + real(shape.m) * shape.n * t.split_k * kPartBytes /
                                                                (rates.cus * rates.load_bytes_per_cycle);
  return waves * (steps * beside_each_other(product, loads) + store) + sum;
}

}  // namespace

TunedTile tuned_tile(const GemmShape& shape, DataType type, const TileRates& rates) {
  const double element = real(element_bytes(type));
  TunedTile best;
  double fewest = 0;
  for (std::uint32_t split = 1; split <= kMostParts; split *= 2)
    for (const std::uint32_t m : kLengths)
      for (const std::uint32_t n : kLengths) {
        const TunedTile t{{m, n, step_of(m, n, element, rates.lds_bytes)}, split};
        if (split > 1 && shape.k / split < t.tile.k) continue;
        const double needed = cycles(shape, t, element, rates);
        if (fewest != 0 && needed >= fewest) continue;
        best = t;
        fewest = needed;
      }
  return best;
}

}  // namespace t3sim
