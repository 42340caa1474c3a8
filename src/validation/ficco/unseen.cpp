#include "validation/ficco/unseen.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "base/number.h"

namespace t3sim::ficco {
namespace {

struct Range {
  double from, to;  // as powers of two
  std::uint64_t unit;
};
constexpr Range kM{13, 19, 8192}, kOwnN{10, 13, 256}, kK{11, 18, 2048};
constexpr double kLeastFlops = 4e12, kMostFlops = 32e12;

// By its bits, as distributions differ from one standard library to another.
std::uint64_t draw(std::mt19937_64& bits, const Range& range) {
  const double even = real(bits() >> 11) * 0x1p-53;
  const double value = std::exp2(range.from + even * (range.to - range.from));
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(value / real(range.unit) + 0.5)) * range.unit;
}

}  // namespace

std::vector<Shape> unseen_shapes(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 bits(seed);
  std::vector<Shape> shapes;
  while (shapes.size() < count) {
    Shape shape;
    shape.name = fmt::format("u{}", shapes.size() + 1);
    shape.m = draw(bits, kM);
    shape.n = 8 * draw(bits, kOwnN);
    shape.k = draw(bits, kK);
    if (shape.flops() >= kLeastFlops && shape.flops() <= kMostFlops) shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace t3sim::ficco
