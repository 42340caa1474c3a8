#include "sim/time.h"

#include <gtest/gtest.h>

#include <array>

#include "sim/stats.h"

namespace t3sim {
namespace {

TimeBase paper_time() {
  constexpr std::array<std::uint64_t, 2> clocks{1'400'000'000, 1'000'000'000};
  return TimeBase(clocks);
}

TEST(TimeBase, HasATickThatDividesEveryPeriod) {
  const TimeBase time = paper_time();
  EXPECT_EQ(time.ticks_per_second(), 7'000'000'000U);
  EXPECT_EQ(time.period(1'400'000'000), 5U);
  EXPECT_EQ(time.period(1'000'000'000), 7U);
}

TEST(TimeBase, LetsNoClockDriftOverAMinute) {
  const TimeBase time = paper_time();
  const Clock core(time.period(1'400'000'000)), memory(time.period(1'000'000'000));
  EXPECT_EQ(core.cycles(60 * 1'400'000'000ULL), memory.cycles(60 * 1'000'000'000ULL));
}

TEST(TimeBase, RoundsADurationToTheNearestTick) {
  const TimeBase time = paper_time();
  EXPECT_EQ(time.from_ps(500'000), 3500U);  // 500 ns
  EXPECT_EQ(time.from_ps(142), 1U);         // a tick is 142.857 ps
  EXPECT_EQ(time.from_ps(71), 0U);
  EXPECT_EQ(time.from_ps(72), 1U);
}

TEST(TimeBase, ConvertsLongDurationsWithoutOverflow) {
  const TimeBase time = paper_time();
  EXPECT_EQ(time.from_ps(1'000'000'000'000'000ULL), 7'000'000'000'000ULL);  // 1000 s
  EXPECT_DOUBLE_EQ(time.to_us(7'000), 1.0);
}

TEST(TimeBase, RefusesClocksWithoutACommonMultiple) {
  const std::array<std::uint64_t, 2> odd{1'400'000'001, 999'999'937};
  EXPECT_THROW(TimeBase{odd}, InputError);
  const std::array<std::uint64_t, 1> none{0};
  EXPECT_THROW(TimeBase{none}, InputError);
}

TEST(Clock, FindsTheEdgeAtOrAfterATickAndTheOneAfter) {
  const Clock clock(5);
  EXPECT_EQ(clock.align(0), 0U);
  EXPECT_EQ(clock.align(1), 5U);
  EXPECT_EQ(clock.align(10), 10U);
  EXPECT_EQ(clock.next(0), 5U);
  EXPECT_EQ(clock.next(9), 10U);
  EXPECT_EQ(clock.next(10), 15U);
}

// It divides by a multiplication.
TEST(Clock, FindsEdgesExactlyForAnyPeriodAndTick) {
  for (const Tick period : {1ULL, 2ULL, 3ULL, 5ULL, 7ULL, 641ULL, 99'991ULL, 71'428ULL, 1ULL << 20}) {
    const Clock clock(period);
    for (Tick cycle = 1; cycle < (Tick{1} << 62) / period; cycle = cycle * 3 + 1) {
      const Tick edge = cycle * period;
      ASSERT_EQ(clock.align(edge), edge) << period << ' ' << cycle;
      ASSERT_EQ(clock.next(edge), edge + period) << period << ' ' << cycle;
      ASSERT_EQ(clock.next(edge - 1), edge) << period << ' ' << cycle;
      ASSERT_EQ(clock.align(edge - period + 1), edge) << period << ' ' << cycle;
    }
  }
}

TEST(Series, AddsUpInIntervals) {
  Series series(10);
  series.add(0, 1);
  series.add(9, 2);
  series.add(10, 4);
  series.add(35, 8);
  EXPECT_EQ(series.bins(), (std::vector<std::uint64_t>{3, 4, 0, 8}));
}

TEST(Series, WithoutAnIntervalKeepsNothing) {
  Series series(0);
  series.add(5, 1);
  EXPECT_TRUE(series.bins().empty());
}

}  // namespace
}  // namespace t3sim
