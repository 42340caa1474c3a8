#include "sim/busy_intervals.h"

#include <gtest/gtest.h>

namespace t3sim {
namespace {

using Interval = BusyIntervals::Interval;

TEST(BusyIntervals, JoinsNeighboursCloserThanTheGap) {
  BusyIntervals busy(10);
  busy.add(0, 5, 128);
  busy.add(14, 20, 128);
  busy.add(30, 31, 64);
  EXPECT_EQ(busy.intervals(), (std::vector<Interval>{{0, 20, 256}, {30, 31, 64}}));
}

TEST(BusyIntervals, DoublesTheGapWhenThereAreTooManyAndLosesNothing) {
  BusyIntervals busy(1);
  for (Tick t = 0; t < 100 * BusyIntervals::kMost; ++t) busy.add(t * 10, t * 10 + 5, 3);
  EXPECT_LE(busy.intervals().size(), BusyIntervals::kMost);
  EXPECT_EQ(busy.gap(), 8U);
  std::uint64_t amount = 0;
  for (const Interval& i : busy.intervals()) amount += i.amount;
  EXPECT_EQ(amount, 300 * BusyIntervals::kMost);
}

}  // namespace
}  // namespace t3sim
