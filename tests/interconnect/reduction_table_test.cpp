#include "interconnect/reduction_table.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace t3sim {
namespace {

using Outcome = ReductionTable::Outcome;

Request update(std::uint64_t address, std::uint16_t gpu = 0, std::uint8_t sectors = kFullLine) {
  Request r;
  r.op = Op::update;
  r.tracked = true;
  r.address = address;
  r.gpu = gpu;
  r.sectors = sectors;
  return r;
}
UpdatesExpected always(std::uint32_t n) {
  return [n](const Request&) { return n; };
}

TEST(ReductionTable, SendsALineOnWhenItsLastUpdateHasCome) {
  ReductionTable table(4, always(3), nullptr);
  Request a = update(0), b = update(0), c = update(0);
  EXPECT_EQ(table.add(a), Outcome::kept);
  EXPECT_EQ(table.add(b), Outcome::kept);
  EXPECT_FALSE(table.empty());
  EXPECT_EQ(table.add(c), Outcome::complete);
  EXPECT_EQ(c.updates, 3U);
  EXPECT_EQ(table.stats().absorbed, 2U);
  EXPECT_EQ(table.stats().absorbed_bytes, 256U);
  EXPECT_EQ(table.stats().sums, 1U);
  table.release();
  EXPECT_TRUE(table.empty());
}

TEST(ReductionTable, KeepsApartLinesGpusAndSectors) {
  ReductionTable table(8, always(2), nullptr);
  for (Request r : {update(0), update(128), update(0, 1), update(0, 0, 0b0011)})
    EXPECT_EQ(table.add(r), Outcome::kept);
  for (Request r : {update(0), update(128), update(0, 1), update(0, 0, 0b0011)})
    EXPECT_EQ(table.add(r), Outcome::complete);
}

TEST(ReductionTable, PassesALineThatGetsOneUpdate) {
  ReductionTable table(4, always(1), nullptr);
  Request a = update(0);
  EXPECT_EQ(table.add(a), Outcome::pass);
  EXPECT_EQ(table.stats().refused, 0U);
  EXPECT_TRUE(table.empty());
}

TEST(ReductionTable, PassesWhatComesWhileItIsFull) {
  ReductionTable table(1, always(2), nullptr);
  Request a = update(0), b = update(128), b2 = update(128), a2 = update(0);
  EXPECT_EQ(table.add(a), Outcome::kept);
  EXPECT_EQ(table.add(b), Outcome::pass);
  EXPECT_EQ(table.add(b2), Outcome::pass);  // the last one: nothing to wait for
  EXPECT_EQ(table.add(a2), Outcome::complete);
  EXPECT_EQ(table.stats().refused, 1U);
  EXPECT_EQ(table.stats().peak_counted_lines, 1U);
}

TEST(ReductionTable, HoldsAnEntryUntilItsSumHasLeft) {
  ReductionTable table(1, always(2), nullptr);
  Request a = update(0), a2 = update(0), b = update(128), c = update(256);
  table.add(a);
  EXPECT_EQ(table.add(a2), Outcome::complete);
  EXPECT_EQ(table.add(b), Outcome::pass);
  table.release();
  EXPECT_EQ(table.add(c), Outcome::kept);
}

// Of four updates the first passes as the table is full; the other three are added up once there is room.
TEST(ReductionTable, AddsUpWhatIsLeftOfALineThatItLetPass) {
  unsigned expected = 2;
  ReductionTable table(
      1, [&](const Request&) { return expected; }, nullptr);
  Request a = update(0), a2 = update(0);
  table.add(a);
  expected = 4;
  Request b[4] = {update(128), update(128), update(128), update(128)};
  EXPECT_EQ(table.add(b[0]), Outcome::pass);
  EXPECT_EQ(table.add(a2), Outcome::complete);
  table.release();
  EXPECT_EQ(table.add(b[1]), Outcome::kept);
  EXPECT_EQ(table.add(b[2]), Outcome::kept);
  EXPECT_EQ(table.add(b[3]), Outcome::complete);
  EXPECT_EQ(b[3].updates, 3U);
}

// A packet can stand for 255 updates at most: a longer sum goes on in parts.
TEST(ReductionTable, SplitsASumThatAPacketCannotCount) {
  ReductionTable table(2, always(600), nullptr);
  unsigned sum = 0, packets = 0;
  for (int i = 0; i < 600; ++i) {
    Request r = update(0);
    const Outcome outcome = table.add(r);
    if (outcome == Outcome::kept) continue;
    sum += r.updates;
    ++packets;
    if (outcome == Outcome::complete) table.release();
  }
  EXPECT_EQ(sum, 600U);
  EXPECT_EQ(packets, 3U);
  EXPECT_TRUE(table.empty());
}

TEST(ReductionTable, AddsTheValuesOfTheSectorsThatAPacketHas) {
  PayloadPool pool;
  ReductionTable table(2, always(3), &pool);
  Request last;
  for (int i = 1; i <= 3; ++i) {
    last = update(0, 0, 0b0101);
    last.payload = pool.allocate();
    for (unsigned e = 0; e < kElementsPerLine; ++e) pool[last.payload][e] = i * 100 + static_cast<int>(e);
    table.add(last);
  }
  EXPECT_EQ(pool.live(), 1U);
  EXPECT_EQ(pool[last.payload][0], 600);
  EXPECT_EQ(pool[last.payload][15], 600 + 3 * 15);
  EXPECT_EQ(pool[last.payload][32], 600 + 3 * 32);
  EXPECT_EQ(pool[last.payload][16], 116);  // not of the packet: as it was in the first
}

TEST(ReductionTable, FindsAnUpdateTooMany) {
  ReductionTable table(2, always(0), nullptr);
  Request a = update(0);
  EXPECT_THROW(table.add(a), CheckError);
}

TEST(ReductionTable, SaysHowManyLinesWait) {
  ReductionTable table(4, always(2), nullptr);
  Request a = update(0), b = update(128);
  table.add(a);
  table.add(b);
  EXPECT_EQ(table.describe_waiting(), "switch: 2 lines in the reduction table wait for more updates\n");
}

}  // namespace
}  // namespace t3sim
