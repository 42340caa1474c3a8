#include "gpu/l2_slice.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gpu/l2_fixture.h"

namespace t3sim::test {
namespace {

using Lines = std::vector<std::uint32_t>;

Lines lines_of(const std::vector<Recorded>& requests) {
  Lines lines;
  for (const Recorded& r : requests) lines.push_back(SectorCache::line_number(r.request.address));
  return lines;
}

std::vector<Request> reads(std::uint32_t first, std::uint32_t count, std::uint8_t sectors = kFullLine) {
  std::vector<Request> all;
  for (std::uint32_t i = 0; i < count; ++i) all.push_back(OneSlice::read(first + i, sectors));
  return all;
}

TEST(L2Slice, AnswersAHitAfterItsTransferAndItsLatency) {
  OneSlice l2;
  l2.run(reads(3, 1));
  l2.replies.clear();
  l2.run({OneSlice::read(3)});
  EXPECT_EQ(l2.replies.at(0).out - l2.started, 4 + 120U);  // 128 B at 32 B a cycle
  l2.replies.clear();
  l2.run({OneSlice::read(3, 0b0010)});
  EXPECT_EQ(l2.replies.at(0).out - l2.started, 1 + 120U);
  EXPECT_EQ(l2.fetched.size(), 1U);
  EXPECT_EQ(l2.slice.stats().hit_sectors, 5U);
}

TEST(L2Slice, TakesAWholeCycleForWhatFillsNone) {
  L2Config config = OneSlice::small_l2();
  config.bytes_per_cycle = 64;
  OneSlice l2(config);
  l2.run(reads(3, 1));
  for (const auto& [sectors, cycles] : {std::pair{0b0001, 1U}, {0b0011, 1U}, {0b0111, 2U}, {0b1111, 2U}}) {
    l2.replies.clear();
    l2.run({OneSlice::read(3, static_cast<std::uint8_t>(sectors))});
    EXPECT_EQ(l2.replies.at(0).out - l2.started, cycles + 120) << sectors;
  }
}

TEST(L2Slice, AnswersAMissAfterThePathFromDramOnTopOfAHit) {
  OneSlice l2;
  l2.run(reads(3, 1));
  EXPECT_EQ(l2.replies.at(0).out, l2.fetched.at(0).at + 100 + 4 + 120);
  EXPECT_EQ(l2.slice.stats().miss_sectors, 4U);
}

TEST(L2Slice, ReadsFromDramOnlyTheSectorsThatWereAskedFor) {
  OneSlice l2;
  l2.run({OneSlice::read(3, 0b0110)});
  EXPECT_EQ(l2.entered.at(0).request.sectors, 0b0110);
}

TEST(L2Slice, FetchesOnlyTheSectorsThatALineLacks) {
  OneSlice l2;
  l2.run({OneSlice::read(3, 0b0011)});
  l2.run({OneSlice::read(3, 0b0111)});
  ASSERT_EQ(l2.entered.size(), 2U);
  EXPECT_EQ(l2.entered[1].request.sectors, 0b0100);
  EXPECT_EQ(l2.replies.at(1).request.sectors, 0b0111);
}

TEST(L2Slice, FetchesASectorOnceForAllWhoMissItAtTheSameTime) {
  OneSlice l2;
  l2.run({OneSlice::read(3, 0b0011), OneSlice::read(3, 0b0110), OneSlice::read(3, 0b0010)});
  ASSERT_EQ(l2.entered.size(), 2U);
  EXPECT_EQ(l2.entered[0].request.sectors, 0b0011);
  EXPECT_EQ(l2.entered[1].request.sectors, 0b0100);
  EXPECT_EQ(l2.replies.size(), 3U);
  EXPECT_EQ(l2.slice.stats().merged_sectors, 2U);
}

TEST(L2Slice, AnswersEachMergedRequestWhenItsOwnSectorsAreIn) {
  OneSlice l2;
  l2.run({OneSlice::read(3, 0b0001), OneSlice::read(3, 0b1001), OneSlice::read(3, 0b0001)});
  ASSERT_EQ(l2.fetched.size(), 2U);
  ASSERT_EQ(l2.replies.size(), 3U);
  EXPECT_EQ(l2.replies[0].request.sectors, 0b0001);
  EXPECT_EQ(l2.replies[1].request.sectors, 0b0001);  // passes the one that waits for more
  EXPECT_EQ(l2.replies[2].request.sectors, 0b1001);
  EXPECT_GE(l2.replies[2].out, l2.fetched[1].at + 100 + 2 + 120);
}

TEST(L2Slice, DeliversHitsAtThePortsRate) {
  OneSlice l2;
  l2.run(reads(0, 8));
  l2.replies.clear();
  l2.run(reads(0, 8));
  ASSERT_EQ(l2.replies.size(), 8U);
  for (std::size_t i = 1; i < 8; ++i) EXPECT_EQ(l2.replies[i].out - l2.replies[i - 1].out, 4U);
}

TEST(L2Slice, TakesStoresAtThePortsRate) {
  OneSlice l2;
  std::vector<Request> stores;
  for (std::uint32_t i = 0; i < 8; ++i) stores.push_back(OneSlice::store(i));
  l2.run(stores);
  ASSERT_EQ(l2.accepted.size(), 8U);
  for (std::size_t i = 1; i < 8; ++i) EXPECT_EQ(l2.accepted[i].at - l2.accepted[i - 1].at, 4U);
}

TEST(L2Slice, PassesStoresOnAtThePortsRate) {
  OneSlice l2;
  std::vector<Request> stores;
  for (std::uint32_t i = 0; i < 8; ++i) {
    stores.push_back(OneSlice::store(i));
    stores.back().uncached = true;
  }
  l2.run(stores);
  ASSERT_EQ(l2.accepted.size(), 8U);
  for (std::size_t i = 1; i < 8; ++i) EXPECT_EQ(l2.accepted[i].at - l2.accepted[i - 1].at, 4U);
}

// What the kernel before has left, beside stores that pass by, through a port with room for one line.
TEST(L2Slice, WritesLeftoversBackInTurnWithWhatItPassesOn) {
  MemoryConfig memory = OneSlice::one_channel();
  memory.port_bursts = 4;
  memory.queue.shared_bursts = 4;
  L2Config config = OneSlice::small_l2();
  config.bytes_per_cycle = 128;
  OneSlice l2(config, memory);
  DirtyLines leftovers;
  std::vector<Request> stores;
  for (std::uint32_t i = 0; i < 20; ++i) {
    leftovers.push_back(OneSlice::store(1000 + i));
    stores.push_back(OneSlice::store(i));
    stores.back().uncached = true;
  }
  l2.slice.write_back_from(leftovers, 100);
  l2.run(stores);
  ASSERT_EQ(l2.entered.size(), 40U);
  const Lines lines = lines_of(l2.entered);
  const auto passed =
      std::count_if(lines.begin(), lines.begin() + 20, [](std::uint32_t l) { return l < 1000; });
  EXPECT_NEAR(static_cast<double>(passed), 10, 1);
}

TEST(L2Slice, ServesMissesOnePerCycle) {
  OneSlice l2;
  l2.run(reads(0, 4, 0b0001));
  ASSERT_EQ(l2.entered.size(), 4U);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(l2.entered[i].at - l2.entered[i - 1].at, 1U);
}

TEST(L2Slice, HoldsUpTheHeadWhenAnMshrHasNoRoomForAnotherWaiter) {
  L2Config config = OneSlice::small_l2();
  config.mshr_merge = 2;
  OneSlice l2(config);
  l2.run(reads(7, 1));  // so that this one hits
  l2.replies.clear();
  l2.run({OneSlice::read(3), OneSlice::read(3), OneSlice::read(3), OneSlice::read(7)});
  const Tick filled = l2.fetched.at(1).at + 100;
  ASSERT_EQ(l2.replies.size(), 4U);
  EXPECT_EQ(l2.replies[2].out, filled + 3 * 4 + 120);  // a hit then, behind the two that had waited
  EXPECT_EQ(l2.replies[3].out, filled + 4 * 4 + 120);  // held up although its data was there
  EXPECT_EQ(l2.fetched.size(), 2U);
  EXPECT_GT(l2.slice.stats().wait_mshr, 100U);
}

TEST(L2Slice, HoldsUpTheHeadWhenNoMshrIsFree) {
  L2Config config = OneSlice::small_l2();
  config.mshrs = 2;
  OneSlice l2(config);
  l2.run(reads(7, 1));
  l2.run({OneSlice::read(1), OneSlice::read(2), OneSlice::read(3), OneSlice::read(7)});
  ASSERT_EQ(l2.entered.size(), 4U);
  EXPECT_GE(l2.entered[3].at, l2.fetched.at(1).at + 100);  // not before the first fill
  EXPECT_EQ(l2.replies.size(), 5U);
  EXPECT_GT(l2.replies.back().out, l2.fetched.at(1).at + 100);
  EXPECT_GT(l2.slice.stats().wait_mshr, 100U);
}

TEST(L2Slice, LetsStoresThroughWithoutAnMshr) {
  L2Config config = OneSlice::small_l2();
  config.mshrs = 1;
  OneSlice l2(config);
  l2.run({OneSlice::read(1), OneSlice::store(2)});
  EXPECT_LT(l2.accepted.at(0).at, l2.fetched.at(0).at);
}

TEST(L2Slice, HoldsUpTheHeadWhenAllLinesOfItsSetWaitForTheirFills) {
  L2Config config = OneSlice::small_l2();
  config.size_bytes = 2 * kLineBytes;
  config.ways = 2;
  OneSlice l2(config);
  l2.run({OneSlice::read(1), OneSlice::read(2), OneSlice::store(3)});
  EXPECT_GE(l2.accepted.at(0).at, l2.fetched.at(0).at + 100);
  EXPECT_EQ(l2.replies.size(), 2U);
}

// With room for one line in the port, a miss waits for the one before it to enter the DRAM queue.
TEST(L2Slice, HoldsUpTheHeadWhenTheQueueToDramIsFullAndLosesNothing) {
  MemoryConfig memory = OneSlice::one_channel();
  memory.port_bursts = 4;
  memory.queue.shared_bursts = 4;
  L2Config config = OneSlice::small_l2();
  config.mshrs = 64;
  OneSlice l2(config, memory);
  std::vector<Request> requests;
  for (std::uint32_t i = 0; i < 40; ++i)
    requests.push_back(i % 3 == 0 ? OneSlice::store(1000 + 4 * i, 0b0101) : OneSlice::read(4 * i));
  l2.run(requests);
  EXPECT_EQ(l2.replies.size(), 26U);
  EXPECT_EQ(l2.accepted.size(), 14U);
  EXPECT_GT(l2.slice.stats().wait_dram_queue, 100U);
  EXPECT_TRUE(l2.slice.idle());
  EXPECT_TRUE(l2.channel.idle());
  EXPECT_EQ(l2.slice.input().used(), 0U);
}

TEST(L2Slice, WritesBackExactlyTheDirtySectorsOfALineThatItReplaces) {
  L2Config config = OneSlice::small_l2();
  config.size_bytes = 2 * kLineBytes;
  config.ways = 2;
  OneSlice l2(config);
  l2.run({OneSlice::read(1, 0b0001), OneSlice::store(1, 0b0110), OneSlice::read(2)});
  EXPECT_TRUE(l2.entered_dram(Op::write).empty());
  l2.run({OneSlice::read(3)});  // replaces line 1
  ASSERT_EQ(l2.entered_dram(Op::write).size(), 1U);
  const Request written = l2.entered_dram(Op::write)[0].request;
  EXPECT_EQ(written.address, 1U * kLineBytes);
  EXPECT_EQ(written.sectors, 0b0110);
  l2.run({OneSlice::read(4)});  // replaces line 2, which is clean
  EXPECT_EQ(l2.entered_dram(Op::write).size(), 1U);
  EXPECT_EQ(l2.slice.stats().writeback_sectors, 2U);
}

TEST(L2Slice, WritesBackUnderTheNameOfWhoeverWroteTheLine) {
  L2Config config = OneSlice::small_l2();
  config.size_bytes = kLineBytes;
  config.ways = 1;
  OneSlice l2(config);
  Request store = OneSlice::store(1);
  store.traffic = Traffic::gemm;
  Request read = OneSlice::read(2);
  read.traffic = Traffic::ag;
  l2.run({store, read});
  EXPECT_EQ(l2.channel.bytes(Traffic::gemm, Op::write), kLineBytes);
  EXPECT_EQ(l2.channel.bytes(Traffic::ag, Op::read), kLineBytes);
}

TEST(L2Slice, WritesBackUnderTheNameOfWhoeverWroteLast) {
  L2Config config = OneSlice::small_l2();
  config.size_bytes = kLineBytes;
  config.ways = 1;
  OneSlice l2(config);
  Request first = OneSlice::store(1, 0b0011), second = OneSlice::store(1, 0b0100);
  first.traffic = Traffic::gemm;
  second.traffic = Traffic::rs;
  l2.run({first, second, OneSlice::read(2)});
  EXPECT_EQ(l2.channel.bytes(Traffic::rs, Op::write), 3U * kSectorBytes);
}

TEST(L2Slice, ReadsBackWhatWasStoredWithoutAskingMemory) {
  OneSlice l2;
  l2.run({OneSlice::store(1, 0b0011), OneSlice::read(1, 0b0011)});
  EXPECT_TRUE(l2.entered.empty());
  EXPECT_EQ(l2.replies.size(), 1U);
}

TEST(L2Slice, SendsTrackedStoresAndUpdatesPastItselfToMemory) {
  OneSlice l2;
  Request tracked = OneSlice::store(1, 0b0111);
  tracked.tracked = true;
  l2.run({tracked, OneSlice::access(Op::update, 2)});
  EXPECT_EQ(lines_of(l2.entered), (Lines{1, 2}));
  EXPECT_EQ(l2.entered[0].request.sectors, 0b0111);
  EXPECT_TRUE(l2.entered[0].request.tracked);
  EXPECT_EQ(l2.entered[1].request.op, Op::update);
  EXPECT_EQ(l2.slice.stats().bypass_sectors, 7U);
  EXPECT_EQ(l2.accepted.size(), 2U);
  l2.slice.flush(l2.scheduler.now());
  l2.scheduler.run();
  EXPECT_EQ(l2.entered.size(), 2U);  // nothing of it was kept
}

TEST(L2Slice, SendsUncachedStoresPastItselfAsWrites) {
  OneSlice l2;
  Request uncached = OneSlice::store(1, 0b0111);
  uncached.uncached = true;
  l2.run({uncached});
  ASSERT_EQ(lines_of(l2.entered), (Lines{1}));
  EXPECT_EQ(l2.entered[0].request.op, Op::write);
  EXPECT_EQ(l2.slice.stats().bypass_sectors, 3U);
}

TEST(L2Slice, WritesBackAllDirtySectorsAtAKernelBoundaryAndThenKnowsNothing) {
  OneSlice l2;
  std::vector<Request> requests;
  for (std::uint32_t i = 0; i < 20; ++i) requests.push_back(OneSlice::store(i, i % 2 ? 0b0001 : 0b1110));
  for (std::uint32_t i = 30; i < 40; ++i) requests.push_back(OneSlice::read(i));
  l2.run(requests);
  const std::size_t before = l2.entered_dram(Op::write).size();
  l2.slice.flush(l2.scheduler.now());
  EXPECT_FALSE(l2.slice.idle());
  l2.scheduler.run();
  EXPECT_TRUE(l2.slice.idle());
  EXPECT_EQ(l2.entered_dram(Op::write).size() - before, 20U);
  EXPECT_EQ(l2.slice.stats().writeback_sectors, 10U * 1 + 10U * 3);
  const std::size_t fetched = l2.fetched.size();
  l2.run({OneSlice::read(35), OneSlice::read(0)});
  EXPECT_EQ(l2.fetched.size(), fetched + 2);
}

TEST(L2Slice, FlushesThroughAPortThatIsFullMostOfTheTime) {
  MemoryConfig memory = OneSlice::one_channel();
  memory.port_bursts = 4;
  memory.queue.shared_bursts = 4;
  OneSlice l2(OneSlice::small_l2(), memory);
  std::vector<Request> stores;
  for (std::uint32_t i = 0; i < 64; ++i) stores.push_back(OneSlice::store(i));
  l2.run(stores);
  l2.slice.flush(l2.scheduler.now());
  l2.scheduler.run();
  EXPECT_TRUE(l2.slice.idle());
  EXPECT_EQ(l2.channel.bytes(Traffic::other, Op::write), 64U * kLineBytes);
}

// A store to a line that is being fetched: the fetched value of that sector is older.
TEST(L2Slice, KeepsAStoreThatOvertakesTheFetchOfItsLine) {
  PayloadPool pool;
  OneSlice l2(OneSlice::small_l2(), OneSlice::one_channel(), &pool);
  Request store = OneSlice::store(3, 0b0001);
  store.payload = pool.allocate();
  pool[store.payload][0] = 42;
  l2.run({OneSlice::read(3), store, OneSlice::read(3)});
  ASSERT_EQ(l2.replies.size(), 2U);
  EXPECT_EQ(pool[l2.replies[1].request.payload][0], 42);
  for (const Reply& r : l2.replies) pool.release(r.request.payload);
  l2.slice.flush(l2.scheduler.now());
  l2.scheduler.run();
  for (const Recorded& r : l2.entered) pool.release(r.request.payload);
  EXPECT_EQ(pool.live(), 0U);
}

TEST(L2Slice, NamesWhatItWaitsForWhenItDoesNotGetOn) {
  OneSlice l2;
  EXPECT_EQ(l2.slice.describe_waiting(), "");
  Feeder feeder(l2.slice, {OneSlice::read(1)});
  feeder.start(1);
  l2.scheduler.run_until(10);
  EXPECT_EQ(l2.slice.describe_waiting(), "l2[0]: 0 requests queued, 1 misses open");
}

TEST(L2Slice, CountsEverySectorReadAsHitMissOrMerged) {
  L2Config config = OneSlice::small_l2();
  config.size_bytes = 16 * kLineBytes;
  OneSlice l2(config);
  std::vector<Request> requests;
  for (std::uint32_t i = 0; i < 300; ++i)
    requests.push_back(OneSlice::read(i * 7 % 23, static_cast<std::uint8_t>(1 + i % 15)));
  l2.run(requests);
  const L2Stats& s = l2.slice.stats();
  EXPECT_EQ(s.read_requests, 300U);
  EXPECT_EQ(s.hit_sectors + s.miss_sectors + s.merged_sectors, s.read_sectors);
  EXPECT_EQ(l2.channel.bytes(Traffic::other, Op::read), s.miss_sectors * kSectorBytes);
  EXPECT_EQ(l2.replies.size(), 300U);
}

TEST(L2Slice, CountsAnEvictionOnlyWhereALineWasReplaced) {
  L2Config config = OneSlice::small_l2();
  config.size_bytes = 4 * kLineBytes;
  OneSlice l2(config);
  l2.run(reads(0, 4));
  EXPECT_EQ(l2.slice.stats().evicted_lines, 0U);
  l2.run(reads(4, 1));
  EXPECT_EQ(l2.slice.stats().evicted_lines, 1U);
}

}  // namespace
}  // namespace t3sim::test
