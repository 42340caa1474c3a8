// Near-memory op-and-store: its throughput against the closed form, and that it costs nothing else.
#include "nmc/op_and_store.h"

#include <gtest/gtest.h>

#include "memory_fixture.h"

namespace t3sim::test {
namespace {

// Bursts per cycle of a long stream to open rows of `groups` bank groups.
double throughput(MemoryConfig config, Op op, unsigned groups) {
  OneChannel c(config);
  std::uint64_t pushed = 0;
  const auto refill = [&](unsigned, Tick now) {
    for (;;) {
      const Request r =
          OneChannel::make(op, line_at(static_cast<unsigned>(pushed % groups), 0, 0, pushed / groups % 16));
      if (now > 20'000 || !c.channel.can_accept(0, r)) return;
      c.channel.push(0, r, now);
      ++pushed;
    }
  };
  c.on_port_free = refill;
  refill(0, 1);
  c.run();
  return 4.0 * static_cast<double>(c.done.size()) / static_cast<double>(c.done.back().at);
}

TEST(OpAndStore, ReachesTheClosedFormOfItsBankGroups) {
  for (const std::uint32_t ccd_update : {2U, 4U, 6U, 8U})
    for (const unsigned groups : {1U, 2U, 4U}) {
      MemoryConfig config = paper_channel();
      config.timing.ccd_update = ccd_update;
      const double limit =
          max_updates_per_cycle(groups, ccd_update, config.timing.ccd_s, config.timing.burst);
      const double measured = throughput(config, Op::update, groups);
      EXPECT_LE(measured, limit + 1e-9) << groups << " groups, " << ccd_update;
      EXPECT_GE(measured, 0.99 * limit) << groups << " groups, " << ccd_update;
    }
}

TEST(OpAndStore, FillsTheChannelWithFourBankGroupsAsPublished) {
  EXPECT_EQ(max_updates_per_cycle(4, 4, 1, 1), 1.0);
  EXPECT_EQ(max_updates_per_cycle(2, 4, 1, 1), 0.5);
}

TEST(OpAndStore, CostsWhatAWriteCostsWhenCcdwlIsCcdl) {
  MemoryConfig config = paper_channel();
  config.timing.ccd_update = config.timing.ccd_l;
  for (const unsigned groups : {1U, 2U, 4U})
    EXPECT_EQ(throughput(config, Op::update, groups), throughput(config, Op::write, groups));
}

TEST(OpAndStore, LeavesOtherBankGroupsAlone) {
  OneChannel c(paper_channel());
  c.push(OneChannel::make(Op::update, line_at(0, 0, 0), 0b0001), 10);
  c.push(OneChannel::make(Op::update, line_at(1, 0, 0), 0b1111), 10);
  c.run();
  const auto updates = c.log.of(Command::update);
  ASSERT_EQ(updates.size(), 5U);
  EXPECT_EQ(updates[4].at - updates[1].at, 3U * 4) << "their own CCDWL only";
}

}  // namespace
}  // namespace t3sim::test
