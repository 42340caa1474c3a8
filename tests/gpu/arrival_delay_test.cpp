#include "gpu/arrival_delay.h"

#include <gtest/gtest.h>

namespace t3sim {
namespace {

struct ToldOfFlags final : ArrivalWaiter {
  void arrived(Tick now) override { at.push_back(now); }
  std::vector<Tick> at;
};

struct Poller {
  Poller() { scheduler.add(delay); }
  Scheduler scheduler;
  ArrivalBoard board{1, 2, CollectiveSync::tile};
  ArrivalDelay delay{scheduler, board, 300};
  ToldOfFlags waiter;
};

TEST(ArrivalDelay, ShowsAFlagSoMuchLaterToWhoeverPollsForIt) {
  Poller poller;
  poller.board.expect(0, 1, 4);
  EXPECT_FALSE(poller.board.complete(0, 1, poller.waiter));
  poller.delay.count(0, 1, 4, 1000);
  poller.scheduler.run();
  EXPECT_EQ(poller.waiter.at, std::vector<Tick>{1300});
}

TEST(ArrivalDelay, KeepsEveryArrivalsOwnTime) {
  Poller poller;
  poller.board.expect(0, 0, 2);
  poller.board.expect(0, 1, 2);
  ToldOfFlags second;
  EXPECT_FALSE(poller.board.complete(0, 0, poller.waiter));
  EXPECT_FALSE(poller.board.complete(0, 1, second));
  poller.delay.count(0, 0, 2, 10);
  poller.delay.count(0, 1, 1, 10);
  poller.delay.count(0, 1, 1, 250);
  poller.scheduler.run();
  EXPECT_EQ(poller.waiter.at, std::vector<Tick>{310});
  EXPECT_EQ(second.at, std::vector<Tick>{550});
}

}  // namespace
}  // namespace t3sim
