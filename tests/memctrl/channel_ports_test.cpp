// Ports, back-pressure and the side queue for tracked stores.
#include <gtest/gtest.h>

#include "memory_fixture.h"

namespace t3sim::test {
namespace {

Request tracked_store(std::uint64_t address, std::uint32_t workgroup = 0) {
  Request r = OneChannel::make(Op::update, address);
  r.tracked = true;
  r.tile = workgroup;
  return r;
}

TEST(APort, TakesAsManyBurstsAsItHasRoomFor) {
  OneChannel c(paper_channel());
  const Request line = OneChannel::make(Op::read, 0);
  for (unsigned i = 0; i < 16; ++i) c.push(line, 10);
  EXPECT_FALSE(c.channel.can_accept(0, line));
}

TEST(APort, CountsOnlyTheBurstsOfARequest) {
  OneChannel c(paper_channel());
  for (unsigned i = 0; i < 64; ++i) c.push(OneChannel::make(Op::read, 0, 0b0100), 10);
  EXPECT_FALSE(c.channel.can_accept(0, OneChannel::make(Op::read, 0, 1)));
}

TEST(APort, TellsOnceThatThereIsRoomAgain) {
  OneChannel c(paper_channel());
  const Request line = OneChannel::make(Op::read, 0);
  for (unsigned i = 0; i < 16; ++i) c.push(line, 10);
  EXPECT_FALSE(c.channel.can_accept(0, line));
  c.run();
  EXPECT_EQ(c.freed, std::vector<unsigned>{0});
}

TEST(APort, TellsNobodyWhoWasNotRefused) {
  OneChannel c(paper_channel());
  for (unsigned i = 0; i < 16; ++i) c.push(OneChannel::make(Op::read, 0), 10);
  c.run();
  EXPECT_TRUE(c.freed.empty());
}

TEST(APort, ShowsARequestAtTheFirstMemoryEdgeAfterItIsReady) {
  OneChannel c(paper_channel(), 1, 7);
  c.push(OneChannel::make(Op::read, 0), 50);
  c.run();
  EXPECT_EQ(c.entered[0].at, 56U);
}

TEST(ComputePorts, TakeTurns) {
  OneChannel c(paper_channel(), 2);
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned port = 0; port < 2; ++port) {
      Request r = OneChannel::make(Op::read, line_at(port, 0, 0, i));
      r.source = static_cast<std::uint16_t>(port);
      c.push(r, 10, port);
    }
  c.run();
  for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(c.entered[i].request.source, i % 2);
}

TEST(TheChannel, AdmitsOneRequestACycle) {
  OneChannel c(paper_channel(), 2);
  for (unsigned i = 0; i < 6; ++i) c.push(OneChannel::make(Op::read, line_at(0, 0, 0, i)), 10, i % 2);
  c.run();
  for (unsigned i = 0; i < 6; ++i) EXPECT_EQ(c.entered[i].at, 10U + i);
}

TEST(ALineThatFindsNoRoom, IsNotOvertakenBySingleBursts) {
  MemoryConfig config = paper_channel();
  config.queue.shared_bursts = 6;
  OneChannel c(config, 2);
  for (const unsigned line : {0U, 1U}) c.push(OneChannel::make(Op::read, line_at(0, 0, 0, line)), 10, 0);
  for (const unsigned line : {8U, 9U, 10U})
    c.push(OneChannel::make(Op::read, line_at(0, 0, 0, line), 1), 11, 1);
  c.run();
  std::vector<unsigned> lines;
  for (const Event& e : c.entered) lines.push_back(e.request.address >> 8 & 15);
  // Line 0 and a burst fit; the burst after that would, but it is the turn of line 1, which does not.
  EXPECT_EQ(lines, (std::vector<unsigned>{0, 8, 1, 9, 10}));
}

TEST(ATrackedStore, IsParkedWhileTheTrackerHasNoRoom) {
  OneChannel c(paper_channel());
  bool room = false;
  c.gate = [&](const Request&) { return room; };
  c.push(tracked_store(line_at(0, 0, 0)), 10);
  c.push(OneChannel::make(Op::read, line_at(1, 0, 0)), 10);
  c.run();
  ASSERT_EQ(c.done.size(), 1U) << "the read passes";
  EXPECT_FALSE(c.channel.idle());
  room = true;
  c.channel.retry_parked();
  c.run();
  EXPECT_EQ(c.done.size(), 2U);
  EXPECT_TRUE(c.channel.idle());
}

TEST(ATrackedStore, StaysParkedWhenTheTrackerStillHasNoRoom) {
  OneChannel c(paper_channel());
  c.gate = [](const Request&) { return false; };
  c.push(tracked_store(line_at(0, 0, 0), 77), 10);
  c.run();
  c.channel.retry_parked();
  c.run();
  EXPECT_TRUE(c.done.empty());
  EXPECT_NE(c.channel.describe_waiting().find("workgroup 77"), std::string::npos);
}

TEST(AParkedStore, LetsAYoungerOnePassThatTheTrackerHasRoomFor) {
  OneChannel c(paper_channel());
  std::uint32_t allowed = ~0U;
  c.gate = [&](const Request& r) { return r.tile == allowed; };
  c.push(tracked_store(line_at(0, 0, 0, 0), 1), 10);
  c.push(tracked_store(line_at(0, 0, 0, 1), 2), 10);
  c.run();
  allowed = 2;
  c.channel.retry_parked();
  c.run();
  ASSERT_EQ(c.done.size(), 1U);
  EXPECT_EQ(c.done[0].request.tile, 2U);
}

TEST(AParkedStore, IsNotOvertakenByARequestOfItsStreamToItsLine) {
  OneChannel c(paper_channel());
  bool room = false;
  c.gate = [&](const Request&) { return room; };
  c.push(tracked_store(line_at(0, 0, 0)), 10);
  c.push(OneChannel::make(Op::read, line_at(0, 0, 0)), 10);
  c.run();
  EXPECT_TRUE(c.done.empty());
  room = true;
  c.channel.retry_parked();
  c.run();
  ASSERT_EQ(c.done.size(), 2U);
  EXPECT_EQ(c.done[0].request.op, Op::update);
}

TEST(AFullSideQueue, BlocksTheComputePortButNotUpdatesFromALink) {
  MemoryConfig config = paper_channel();
  config.parked_requests = 2;
  OneChannel c(config);
  bool room = false;
  c.gate = [&](const Request&) { return room; };
  for (unsigned i = 0; i < 4; ++i) c.push(tracked_store(line_at(0, 0, 0, i)), 10);
  Request remote = tracked_store(line_at(1, 0, 0));
  remote.remote = true;
  c.push(remote, 200, c.channel.communication_port());
  c.run();
  ASSERT_EQ(c.done.size(), 1U);
  EXPECT_TRUE(c.done[0].request.remote);
  EXPECT_NE(c.channel.describe_waiting().find("side queue full"), std::string::npos);
  room = true;
  c.channel.retry_parked();
  c.run();
  EXPECT_EQ(c.done.size(), 5U);
  EXPECT_EQ(c.channel.stats().max_parked, 2U);
}

TEST(RetryParked, MayBeCalledFromWithinACallback) {
  OneChannel c(paper_channel());
  bool room = false;
  c.gate = [&](const Request&) { return room; };
  c.on_port_free = [&](unsigned, Tick) {
    room = true;
    c.channel.retry_parked();
  };
  c.push(tracked_store(line_at(0, 0, 0)), 10);
  const Request read = OneChannel::make(Op::read, line_at(1, 0, 0));
  while (c.channel.can_accept(0, read)) c.channel.push(0, read, 10);
  c.run();
  EXPECT_TRUE(c.channel.idle());
}

TEST(EveryRequest, IsEnteredAndPerformedExactlyOnce) {
  OneChannel c(paper_channel(), 2);
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < 500; ++i) {
    const unsigned port = i % 3;
    Request r = OneChannel::make(static_cast<Op>(i % 3), line_at(i % 4, i / 4 % 4, i / 100, i % 16),
                                 static_cast<std::uint8_t>(1 + i % 15));
    r.token = i;
    r.traffic = static_cast<Traffic>(i % 4);
    r.stream = port == 2 ? Stream::communication : Stream::compute;
    while (!c.channel.can_accept(port, r)) c.step();
    c.channel.push(port, r, 0);
    bytes += request_bytes(r);
  }
  c.run();
  EXPECT_EQ(c.entered.size(), 500U);
  std::vector<int> seen(500);
  for (const Event& e : c.done) ++seen[e.request.token];
  EXPECT_EQ(seen, std::vector<int>(500, 1));
  std::uint64_t counted = 0;
  for (int t = 0; t < kTraffics; ++t)
    for (const Op op : {Op::read, Op::write, Op::update})
      counted += c.channel.bytes(static_cast<Traffic>(t), op);
  EXPECT_EQ(counted, bytes);
  EXPECT_TRUE(c.channel.idle());
}

TEST(BytesOverTime, AddUpToTheBytes) {
  Scheduler scheduler;
  OneChannel outer(paper_channel());
  Channel channel(outer.config, 0, {Clock(1), scheduler, outer, outer.map, 1, 50});
  scheduler.add(channel);
  for (unsigned i = 0; i < 16; ++i) {
    Request r = OneChannel::make(Op::read, line_at(0, 0, 0, i));
    r.traffic = Traffic::gemm;
    channel.push(0, r, 10);
  }
  scheduler.run();
  std::uint64_t sum = 0;
  for (const std::uint64_t bin : channel.series(Traffic::gemm, false).bins()) sum += bin;
  EXPECT_EQ(sum, 16U * kLineBytes);
  EXPECT_GE(channel.series(Traffic::gemm, false).bins().size(), 3U);
  EXPECT_TRUE(channel.series(Traffic::gemm, true).bins().empty());
}

}  // namespace
}  // namespace t3sim::test
