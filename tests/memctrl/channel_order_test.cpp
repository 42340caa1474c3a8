// Which request goes before which: same addresses never change order.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "memory_fixture.h"

namespace t3sim::test {
namespace {

MemoryConfig split_queues(MemoryConfig config) {
  config.queue.kind = QueueKind::split;
  config.queue.read_bursts = config.queue.write_bursts = 64;
  config.queue.write_high_watermark = 48;
  config.queue.write_low_watermark = 16;
  return config;
}

MemoryConfig atomic(MemoryConfig config) {
  config.reduction = ReductionSubstrate::atomic;
  return config;
}

// When the last request of a kind to line 9 of row 0 was performed.
Tick when(const OneChannel& c, Op op) {
  Tick at = 0;
  for (const Event& e : c.done)
    if (e.request.op == op && e.request.address == line_at(0, 0, 0, 9)) at = e.at;
  EXPECT_GT(at, 0U);
  return at;
}

TEST(ARead, DoesNotOvertakeAnUpdateToItsAddress) {
  for (const MemoryConfig& config : {paper_channel(), split_queues(paper_channel()), atomic(paper_channel()),
                                     atomic(split_queues(paper_channel()))}) {
    OneChannel c(config);
    // Older reads to the row keep the channel in the reads' direction.
    for (unsigned line = 0; line < 8; ++line) c.push(OneChannel::make(Op::read, line_at(0, 0, 0, line)), 10);
    c.push(OneChannel::make(Op::update, line_at(0, 0, 0, 9)), 10);
    c.push(OneChannel::make(Op::read, line_at(0, 0, 0, 9)), 10);
    c.run();
    ASSERT_EQ(c.done.size(), 10U);
    EXPECT_LT(when(c, Op::update), when(c, Op::read));
  }
}

TEST(AnUpdate, DoesNotOvertakeAReadOfItsAddress) {
  for (const MemoryConfig& config : {paper_channel(), split_queues(paper_channel()), atomic(paper_channel()),
                                     atomic(split_queues(paper_channel()))}) {
    OneChannel c(config);
    for (unsigned line = 0; line < 8; ++line) c.push(OneChannel::make(Op::write, line_at(0, 0, 0, line)), 10);
    c.push(OneChannel::make(Op::read, line_at(0, 0, 0, 9)), 10);
    c.push(OneChannel::make(Op::update, line_at(0, 0, 0, 9)), 10);
    c.run();
    ASSERT_EQ(c.done.size(), 10U);
    EXPECT_LT(when(c, Op::read), when(c, Op::update));
  }
}

TEST(AReadThatWaitsForAWrite, StartsTheDrain) {
  OneChannel c(split_queues(paper_channel()));
  c.push(OneChannel::make(Op::write, line_at(0, 0, 0, 3)), 10);
  // A stream of reads that would keep the writes waiting for ever.
  for (unsigned i = 0; i < 12; ++i) c.push(OneChannel::make(Op::read, line_at(1, i % 4, 0, i)), 10);
  c.push(OneChannel::make(Op::read, line_at(0, 0, 0, 3)), 10);
  c.run();
  EXPECT_EQ(c.reads.size(), 13U);
  EXPECT_TRUE(c.channel.idle());
}

// Requests of all kinds to few addresses: at each address they are performed in the order in which they
// entered.
void expect_order_kept(const MemoryConfig& config, unsigned lines, std::uint64_t seed) {
  OneChannel c(config);
  std::mt19937_64 random(seed);
  Tick at = 10;
  for (std::uint32_t i = 0; i < 4000; ++i) {
    Request r = OneChannel::make(static_cast<Op>(random() % 3), random() % lines * kLineBytes,
                                 static_cast<std::uint8_t>(1 + random() % 15));
    r.token = i;
    at += random() % 8;
    while (!c.channel.can_accept(0, r)) c.step();
    c.channel.push(0, r, at);
  }
  c.run();
  ASSERT_EQ(c.done.size(), 4000U);
  std::map<std::pair<std::uint64_t, unsigned>, std::uint32_t> last;  // by sector
  for (const Event& e : c.done)
    for (unsigned s = 0; s < 4; ++s) {
      if ((e.request.sectors >> s & 1) == 0) continue;
      const auto [seen, fresh] = last.insert({{e.request.address, s}, e.request.token});
      if (fresh) continue;
      ASSERT_LT(seen->second, e.request.token) << "sector " << s << " of " << e.request.address;
      seen->second = e.request.token;
    }
}

TEST(RequestsToOneAddress, KeepTheirOrderInASharedQueue) { expect_order_kept(paper_channel(), 12, 1); }

TEST(RequestsToOneAddress, KeepTheirOrderInSplitQueues) {
  expect_order_kept(split_queues(paper_channel()), 12, 2);
}

TEST(RequestsToOneAddress, KeepTheirOrderWhereALineLiesInSeveralBanks) {
  MemoryConfig config = paper_channel();
  config.mapping = {"row", "bank:2", "column:6", "bank_group:2"};
  expect_order_kept(config, 12, 3);
  expect_order_kept(split_queues(config), 12, 4);
}

TEST(RequestsToOneAddress, KeepTheirOrderWhenUpdatesAreAtomics) {
  MemoryConfig spread = paper_channel();
  spread.mapping = {"row", "bank:2", "column:6", "bank_group:2"};
  std::uint64_t seed = 6;
  for (const MemoryConfig& config : {paper_channel(), spread})
    for (const unsigned lines : {3U, 12U, 60U}) {
      expect_order_kept(atomic(config), lines, ++seed);
      expect_order_kept(atomic(split_queues(config)), lines, ++seed);
    }
}

TEST(RequestsToOneAddress, KeepTheirOrderUnderTheAgeCap) {
  MemoryConfig config = split_queues(paper_channel());
  config.queue.age_cap_cycles = 20;
  config.queue.write_age_cap_cycles = 30;
  expect_order_kept(config, 40, 5);
}

}  // namespace
}  // namespace t3sim::test
