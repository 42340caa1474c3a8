#include "model/time_left.h"

#include <gtest/gtest.h>

namespace t3sim::model {
namespace {

constexpr TimeLeft::Kind kSchemes = TimeLeft::Kind::schemes, kAProgram = TimeLeft::Kind::program;

TEST(TheTimeLeft, OfRunsOfOneKindGoesWithTheirCost) {
  TimeLeft left;
  left.add(kAProgram, 10);
  left.add(kAProgram, 40);
  EXPECT_FALSE(left.seconds(1)) << "nothing is done";
  left.done(kAProgram, 10, 3);
  EXPECT_DOUBLE_EQ(left.seconds(1).value(), 12);
  EXPECT_DOUBLE_EQ(left.seconds(2).value(), 6);
}

// The costs of schemes are loads, those of programs bytes.
TEST(TheTimeLeft, OfTwoKindsTakesEachBesideWhatItsOwnTook) {
  TimeLeft left;
  left.add(kSchemes, 5000);
  for (int i = 0; i < 3; ++i) left.add(kAProgram, 1);
  left.done(kSchemes, 5000, 60);
  EXPECT_FALSE(left.seconds(1)) << "what a program takes is not known";
  left.done(kAProgram, 1, 20);
  EXPECT_DOUBLE_EQ(left.seconds(1).value(), 40);
  left.done(kAProgram, 1, 20);
  left.done(kAProgram, 1, 20);
  EXPECT_DOUBLE_EQ(left.seconds(1).value(), 0);
}

}  // namespace
}  // namespace t3sim::model
