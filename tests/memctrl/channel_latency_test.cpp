// Unloaded latencies on the reference channel: 17, 31 and 45 cycles, the constant beside them being 0.
#include <gtest/gtest.h>

#include "memory_fixture.h"

namespace t3sim::test {
namespace {

// Bytes from one row of a bank to the next on the reference channel: columns, groups and banks lie below.
constexpr std::uint64_t kNextRow = 64 * 32 * 4 * 4;

struct ReferenceChannel : OneChannel {
  ReferenceChannel() : OneChannel(reference_memory()) {}
  // Latency of a read of 64 bytes that is ready at `at`, with nothing else under way.
  Tick read(std::uint64_t address, Tick at) {
    push(half_line(Op::read, address), at);
    run();
    return reads.back().at - at;
  }
};

TEST(AnUnloadedRead, TakesColumnLatencyBurstAndOneCycleInAnOpenRow) {
  ReferenceChannel c;
  c.read(0, 10);
  EXPECT_EQ(c.read(0, 1000), 17U);
}

TEST(AnUnloadedRead, TakesAnActivateMoreInAClosedBank) {
  ReferenceChannel c;
  EXPECT_EQ(c.read(0, 10), 31U);
}

TEST(AnUnloadedRead, TakesAPrechargeMoreAgainWithAnotherRowOpen) {
  ReferenceChannel c;
  c.read(0, 10);
  EXPECT_EQ(c.read(kNextRow, 1000), 45U);
}

TEST(AnUnloadedRead, IsAsLongWhenTheRequestComesBetweenTwoEdges) {
  OneChannel c(reference_memory(), 1, 10);
  c.push(OneChannel::half_line(Op::read, 0), 93);  // seen at 100
  c.run();
  EXPECT_EQ(c.reads.back().at, 100U + 31 * 10);
}

TEST(AnUnloadedRead, WaitsForARefreshThatIsUnderWay) {
  ReferenceChannel c;
  // Due at 3900 in an idle channel whose banks are closed; takes 260 cycles.
  EXPECT_EQ(c.read(0, 3950), 3900U + 260 - 3950 + 14 + 16);
}

TEST(AnUnloadedRead, FindsItsRowClosedByARefreshInBetween) {
  ReferenceChannel c;
  c.read(0, 10);
  EXPECT_EQ(c.read(0, 5000), 31U);
}

TEST(AReadOfALine, TakesFourBurstsOfThePapersMemory) {
  OneChannel c(paper_channel());
  c.push(OneChannel::make(Op::read, line_at(0, 0, 0)), 10);
  c.run();
  // Activate at 11, columns from 25 at intervals of CCDL, then CL and a burst.
  EXPECT_EQ(c.reads.back().at, 11U + 14 + 3 * 2 + 14 + 1);
}

TEST(AReadOfSomeSectors, TakesOnlyTheirBursts) {
  OneChannel c(paper_channel());
  c.push(OneChannel::make(Op::read, line_at(0, 0, 0), 0b1010), 10);
  c.run();
  EXPECT_EQ(c.reads.back().at, 11U + 14 + 2 + 14 + 1);
  const auto columns = c.log.of(Command::read);
  ASSERT_EQ(columns.size(), 2U);
  EXPECT_EQ(columns[0].column, 1);
  EXPECT_EQ(columns[1].column, 3);
}

TEST(AWrite, IsPerformedAtItsLastColumnCommand) {
  OneChannel c(paper_channel());
  c.push(OneChannel::make(Op::write, line_at(0, 0, 0)), 10);
  c.run();
  ASSERT_EQ(c.done.size(), 1U);
  EXPECT_EQ(c.done[0].at, 11U + 11 + 3 * 2);
  EXPECT_TRUE(c.reads.empty());
}

TEST(AnIdleChannel, CostsNoEvents) {
  ReferenceChannel c;
  c.read(0, 10);
  const std::uint64_t before = c.scheduler.events();
  c.read(0, 1'000'000'000);  // a quarter of a million refreshes later
  EXPECT_LE(c.scheduler.events() - before, 10U);
}

TEST(AnIdleChannel, HasAllItsRefreshesAllTheSame) {
  ReferenceChannel c;
  c.read(0, 10);
  c.channel.settle(39'001);
  EXPECT_EQ(c.log.of(Command::refresh).size(), 10U);
  EXPECT_EQ(c.log.of(Command::refresh)[9].at, 39'000U);
}

}  // namespace
}  // namespace t3sim::test
