#include "gpu/idle_account.h"

#include <gtest/gtest.h>

namespace t3sim {
namespace {

TEST(IdleAccount, CountsEachPlaceForItsOwnCause) {
  IdleAccount account;
  account.add_places(2);
  account.pass(0, 10, true);
  account.set(0, PlaceWait::loads);
  account.set(1, PlaceWait::link);
  account.pass(10, 14, true);
  account.pass(14, 20, false);
  EXPECT_EQ(account.idle()[PlaceWait::launch], 20U);
  EXPECT_EQ(account.idle()[PlaceWait::loads], 4U);
  EXPECT_EQ(account.idle()[PlaceWait::link], 4U);
  EXPECT_EQ(account.all()[PlaceWait::link], 10U);
}

// A quarter of the ways to memory are held up: so is a quarter of what goes to memory.
TEST(IdleAccount, BlamesTheTrackerForTheShareOfWaysThatItHoldsUp) {
  BlockedWays ways;
  ways.ways = 4;
  IdleAccount account;
  account.follow(&ways);
  account.add_places(2);
  account.set(0, PlaceWait::memory);
  account.set(1, PlaceWait::issue);
  ways.blocked.change(50, 1);
  account.pass(0, 60, false);
  account.pass(60, 100, true);
  ways.blocked.change(100, -1);
  account.pass(100, 140, true);
  EXPECT_EQ(account.idle()[PlaceWait::tracker], 10U);
  EXPECT_EQ(account.idle()[PlaceWait::memory], 70U);
  EXPECT_EQ(account.idle()[PlaceWait::issue], 80U);
  EXPECT_EQ(account.all()[PlaceWait::tracker], 12U);  // and of the time before
}

}  // namespace
}  // namespace t3sim
