// Stores that a slice adds to what is there.
#include <gtest/gtest.h>

#include "gpu/l2_fixture.h"

namespace t3sim::test {
namespace {

Request addition(std::uint32_t line, std::uint8_t sectors = kFullLine) {
  Request store = OneSlice::store(line, sectors);
  store.adds = true;
  return store;
}

L2Config waiting(std::uint64_t sectors) {
  L2Config config = OneSlice::small_l2();
  config.waiting_add_sectors = sectors;
  return config;
}

TEST(AnAddition, ToALineThatIsThereReadsNothing) {
  OneSlice l2(waiting(8));
  l2.run({OneSlice::read(3)});
  l2.run({addition(3)});
  EXPECT_EQ(l2.entered.size(), 1U);
  ASSERT_EQ(l2.accepted.size(), 1U);
  EXPECT_EQ(l2.accepted[0].at, l2.started);
  EXPECT_EQ(l2.slice.dirty_lines().size(), 1U);
}

TEST(AnAddition, ToALineThatIsNotThereFetchesItAndIsDoneThen) {
  OneSlice l2(waiting(8));
  l2.run({addition(3, 0b0011)});
  ASSERT_EQ(l2.entered.size(), 1U);
  EXPECT_EQ(l2.entered[0].request.op, Op::read);
  EXPECT_EQ(l2.entered[0].request.sectors, 0b0011);
  ASSERT_EQ(l2.accepted.size(), 1U);
  EXPECT_GE(l2.accepted[0].at, l2.fetched[0].at + l2.config.dram_path_cycles);
  ASSERT_EQ(l2.slice.dirty_lines().size(), 1U);
  EXPECT_EQ(l2.slice.dirty_lines()[0].sectors, 0b0011);
  EXPECT_TRUE(l2.replies.empty());
  EXPECT_TRUE(l2.slice.idle());
}

// Two lines are fetched, and the third only when one of them is there; a load behind it waits as well.
TEST(Additions, ThatWaitForMemoryAreFew) {
  OneSlice few(waiting(8)), many(waiting(32));
  for (OneSlice* l2 : {&few, &many}) l2->run({addition(1), addition(2), addition(3), OneSlice::read(4)});
  EXPECT_EQ(few.accepted.size(), 3U);
  EXPECT_GE(few.entered[2].at, few.fetched[0].at + few.config.dram_path_cycles);
  EXPECT_LT(many.entered[2].at, many.fetched[0].at);
  EXPECT_GT(few.replies[0].out, many.replies[0].out);
}

// What waits is data: where a tile's share ends within a line, its additions of half a line take half the room.
TEST(Additions, OfHalfALineWaitTwiceAsMany) {
  OneSlice l2(waiting(8));
  l2.run({addition(1, 0b0011), addition(2, 0b1100), addition(3, 0b0011), addition(4, 0b1100),
          addition(5, 0b0011)});
  ASSERT_EQ(l2.entered.size(), 5U);
  EXPECT_LT(l2.entered[3].at, l2.fetched[0].at);
  EXPECT_GE(l2.entered[4].at, l2.fetched[0].at + l2.config.dram_path_cycles);
}

TEST(AnAddition, ThatIsLargerThanAllRoomWaitsAlone) {
  OneSlice l2(waiting(1));
  l2.run({addition(1), addition(2)});
  EXPECT_EQ(l2.accepted.size(), 2U);
  EXPECT_GE(l2.entered[1].at, l2.fetched[0].at + l2.config.dram_path_cycles);
}

TEST(AnAddition, JoinsTheFetchOfALoad) {
  OneSlice l2(waiting(1));
  l2.run({OneSlice::read(3), addition(3), OneSlice::read(3)});
  EXPECT_EQ(l2.entered_dram(Op::read).size(), 1U);
  EXPECT_EQ(l2.replies.size(), 2U);
  EXPECT_EQ(l2.accepted.size(), 1U);
}

}  // namespace
}  // namespace t3sim::test
