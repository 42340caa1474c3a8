#include "gpu/arrival_board.h"

#include <gtest/gtest.h>

namespace t3sim {
namespace {

struct Told final : ArrivalWaiter {
  void arrived(Tick now) override { at.push_back(now); }
  std::vector<Tick> at;
};

TEST(ArrivalBoard, IsCompleteWhereNothingIsExpected) {
  ArrivalBoard board(3, 4, CollectiveSync::step);
  Told waiter;
  EXPECT_TRUE(board.complete(1, 2, waiter));
}

TEST(ArrivalBoard, TellsWhoeverWaitsWhenTheLastSectorIsIn) {
  ArrivalBoard board(2, 4, CollectiveSync::tile);
  Told waiter;
  board.expect(0, 3, 8);
  EXPECT_FALSE(board.complete(0, 3, waiter));
  board.count(0, 3, 4, 10);
  EXPECT_TRUE(waiter.at.empty());
  board.count(0, 3, 4, 20);
  EXPECT_EQ(waiter.at, std::vector<Tick>{20});
  EXPECT_TRUE(board.complete(0, 3, waiter));
  EXPECT_EQ(board.missing(), 0U);
}

TEST(ArrivalBoard, WaitsForAllTilesOfAStepWhenKernelsSynchroniseByStep) {
  ArrivalBoard board(2, 4, CollectiveSync::step);
  Told waiter;
  board.expect(1, 0, 4);
  board.expect(1, 1, 4);
  EXPECT_FALSE(board.complete(1, 0, waiter));
  board.count(1, 0, 4, 10);
  EXPECT_FALSE(board.complete(1, 0, waiter));
  board.count(1, 1, 4, 20);
  EXPECT_TRUE(board.complete(1, 0, waiter));
}

TEST(ArrivalBoard, WaitsForOneTileOnlyWhenKernelsSynchroniseByTile) {
  ArrivalBoard board(2, 4, CollectiveSync::tile);
  Told waiter;
  board.expect(1, 0, 4);
  board.expect(1, 1, 4);
  board.count(1, 0, 4, 10);
  EXPECT_TRUE(board.complete(1, 0, waiter));
  EXPECT_FALSE(board.complete(1, 1, waiter));
}

// A CU asks again for each of its waiting workgroups whenever one of them may go on.
TEST(ArrivalBoard, TellsAWaiterOnceHoweverOftenItHasAsked) {
  ArrivalBoard board(1, 1, CollectiveSync::tile);
  Told waiter;
  board.expect(0, 0, 1);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(board.complete(0, 0, waiter));
  board.count(0, 0, 1, 10);
  EXPECT_EQ(waiter.at.size(), 1U);
}

}  // namespace
}  // namespace t3sim
