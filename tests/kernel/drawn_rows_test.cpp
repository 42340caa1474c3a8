// Rows of embedding bags.
#include "kernel/drawn_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace t3sim {
namespace {

TEST(DrawnRows, AreOfTheBagsTable) {
  const DrawnRows rows({.rows = 100, .tables = 4, .bags = 40, .pooling = 50, .skew = 0, .seed = 3});
  std::set<std::uint64_t> seen;
  for (std::uint32_t bag = 0; bag < 40; ++bag)
    for (std::uint32_t i = 0; i < 50; ++i) {
      seen.insert(rows.row(bag, i));
      EXPECT_EQ(rows.row(bag, i) / 100, bag / 10);
    }
  EXPECT_GT(seen.size(), 390U);  // of 400
}

TEST(DrawnRows, AreTheSameForTheSameSeedOnly) {
  const BagSpec spec{.rows = 1000, .tables = 1, .bags = 10, .pooling = 50, .skew = 0, .seed = 3};
  BagSpec other = spec;
  other.seed = 4;
  const DrawnRows a(spec), b(spec), c(other);
  unsigned alike = 0;
  for (std::uint32_t i = 0; i < 50; ++i) {
    EXPECT_EQ(a.row(7, i), b.row(7, i));
    alike += a.row(7, i) == c.row(7, i);
  }
  EXPECT_LT(alike, 5U);
}

// Of rank r r^-1, divided by the sum of all: 1 / 7.485 for the first of 1,000.
TEST(DrawnRows, FollowZipfsLaw) {
  const DrawnRows rows({.rows = 1000, .tables = 1, .bags = 1000, .pooling = 100, .skew = 1, .seed = 1});
  std::map<std::uint64_t, unsigned> times;
  for (std::uint32_t bag = 0; bag < 1000; ++bag)
    for (std::uint32_t i = 0; i < 100; ++i) ++times[rows.row(bag, i)];
  std::vector<unsigned> counts;
  for (const auto& [row, count] : times) counts.push_back(count);
  std::ranges::sort(counts, std::greater());
  EXPECT_NEAR(counts[0], 100'000 / 7.485, 400);
  EXPECT_NEAR(counts[1], 100'000 / 7.485 / 2, 300);
  EXPECT_NEAR(counts[9], 100'000 / 7.485 / 10, 150);
  EXPECT_GT(counts.size(), 990U);
}

}  // namespace
}  // namespace t3sim
