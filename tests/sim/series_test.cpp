#include <gtest/gtest.h>

#include "sim/level_integral.h"
#include "sim/stats.h"

namespace t3sim {
namespace {

using Bins = std::vector<std::uint64_t>;

TEST(Series, SharesASpanOutAmongTheIntervalsItCovers) {
  Series series(10);
  series.add_span(5, 25, 3);
  EXPECT_EQ(series.bins(), (Bins{15, 30, 15}));
}

TEST(LevelSeries, SumsTheLevelOverEachInterval) {
  LevelSeries level(10);
  level.set(2, 4);
  level.set(12, 1);
  level.set(12, 0);
  level.set(15, 2);
  level.settle(21);
  EXPECT_EQ(level.series().bins(), (Bins{32, 8 + 10, 2}));
}

TEST(LevelSeries, TakesNoSpaceWithoutAnInterval) {
  LevelSeries level;
  level.set(2, 4);
  level.settle(1'000'000);
  EXPECT_TRUE(level.series().bins().empty());
}

TEST(LevelIntegral, IsExactAtAnyTick) {
  LevelIntegral level;
  level.change(10, 2);
  level.change(20, -1);
  EXPECT_EQ(level.at(20), 20U);
  EXPECT_EQ(level.at(25), 25U);
}

}  // namespace
}  // namespace t3sim
