#include "gpu/clock_beside_links.h"

#include <gtest/gtest.h>

namespace t3sim {
namespace {

struct Links {
  std::uint64_t bytes = 0;
  ClockBesideLinks clock{0.9, 100, 1000, [this] { return bytes; }};
};

TEST(AClockBesideLinks, IsWholeWhereTheyCarryNothing) {
  Links links;
  EXPECT_DOUBLE_EQ(links.clock.share(0), 1);
  EXPECT_DOUBLE_EQ(links.clock.share(5000), 1);
}

TEST(AClockBesideLinks, LosesInProportionToWhatTheyCarryAndNoMoreThanBesideFullOnes) {
  Links links;
  links.bytes = 500;
  EXPECT_DOUBLE_EQ(links.clock.share(99), 1) << "the window is not over";
  EXPECT_DOUBLE_EQ(links.clock.share(100), 0.95);
  links.bytes += 1000;
  EXPECT_DOUBLE_EQ(links.clock.share(199), 0.95);
  EXPECT_DOUBLE_EQ(links.clock.share(200), 0.9);
  links.bytes += 5000;
  EXPECT_DOUBLE_EQ(links.clock.share(300), 0.9);
}

TEST(AClockBesideLinks, TakesTheMeanOfAllThatHasPassedSinceItLooked) {
  Links links;
  links.bytes = 1000;
  EXPECT_DOUBLE_EQ(links.clock.share(400), 0.975);
  EXPECT_DOUBLE_EQ(links.clock.share(500), 1) << "nothing more came";
}

}  // namespace
}  // namespace t3sim
