// First ready, first come, first served, with open pages and an age cap.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "memory_fixture.h"

namespace t3sim::test {
namespace {

TEST(TheDramQueue, ServesARowHitBeforeAnOlderConflict) {
  OneChannel c(paper_channel());
  c.push(OneChannel::make(Op::read, line_at(0, 0, 0, 0)), 10);
  c.push(OneChannel::make(Op::read, line_at(0, 0, 7, 0)), 10);
  c.push(OneChannel::make(Op::read, line_at(0, 0, 0, 1)), 10);
  c.run();
  EXPECT_EQ(c.reads[0].request.address, line_at(0, 0, 0, 0));
  EXPECT_EQ(c.reads[1].request.address, line_at(0, 0, 0, 1));
  EXPECT_EQ(c.reads[2].request.address, line_at(0, 0, 7, 0));
}

TEST(TheDramQueue, KeepsARowOpenThatNobodyElseWants) {
  OneChannel c(paper_channel());
  c.push(OneChannel::make(Op::read, line_at(0, 0, 0, 0)), 10);
  c.push(OneChannel::make(Op::read, line_at(0, 0, 0, 1)), 5000);
  c.run();
  EXPECT_TRUE(c.log.of(Command::precharge).empty());
}

TEST(TheDramQueue, ClosesARowOnceItsHitsAreServed) {
  OneChannel c(paper_channel());
  c.push(OneChannel::make(Op::read, line_at(0, 0, 0, 0)), 10);
  c.push(OneChannel::make(Op::read, line_at(0, 0, 1, 0)), 10);
  c.run();
  EXPECT_EQ(c.log.of(Command::activate).size(), 2U);
  EXPECT_EQ(c.log.of(Command::precharge).size(), 1U);
}

TEST(TheDramQueue, InterleavesBankGroupsToFillTheDataBus) {
  OneChannel c(paper_channel());
  c.push(OneChannel::make(Op::read, line_at(0, 0, 0)), 10);
  c.push(OneChannel::make(Op::read, line_at(1, 0, 0)), 10);
  c.run();
  const auto columns = c.log.of(Command::read);
  ASSERT_EQ(columns.size(), 8U);
  EXPECT_EQ(columns[7].at - columns[0].at, 11U)
      << "8 bursts, the first four cycles and the last two columns alone";
}

// A stream of hits to one row, a request every two cycles, and one older request to another row of the bank.
Tick latency_beside_a_stream(std::uint32_t age_cap) {
  MemoryConfig config = paper_channel();
  config.queue.age_cap_cycles = age_cap;
  OneChannel c(config, 2);
  Request other = OneChannel::make(Op::read, line_at(0, 0, 9));
  other.token = 1;
  c.push(OneChannel::make(Op::read, line_at(0, 0, 0)), 10, 0);
  c.push(other, 11, 1);
  const auto refill = [&](unsigned port, Tick now) {
    while (now < 5000 && c.channel.can_accept(port, other))
      c.channel.push(port, OneChannel::make(Op::read, line_at(0, 0, 0, now % 16)), now);
  };
  c.on_port_free = refill;
  refill(0, 10);
  c.run();
  for (const Event& e : c.reads)
    if (e.request.token == 1) return e.at - 11;
  return 0;
}

TEST(TheAgeCap, BoundsHowLongRowHitsKeepOthersWaiting) {
  EXPECT_GT(latency_beside_a_stream(100'000), 4000U);
  const Tick capped = latency_beside_a_stream(300);
  EXPECT_GT(capped, 300U);
  EXPECT_LT(capped, 300U + 100);
}

// Streams of hits in two banks, and in each an older request to another row: both are over the cap at once.
TEST(TheAgeCap, BoundsTheSecondOfTwoOldRequestsToo) {
  MemoryConfig config = paper_channel();
  config.queue.age_cap_cycles = 300;
  OneChannel c(config, 2);
  std::uint64_t pushed = 0;
  const auto refill = [&](unsigned, Tick now) {
    for (;;) {
      const Request r = OneChannel::make(Op::read, line_at(pushed % 2, 0, 0, pushed / 2 % 16));
      if (now >= 5000 || !c.channel.can_accept(0, r)) return;
      c.channel.push(0, r, now);
      ++pushed;
    }
  };
  for (const unsigned group : {0U, 1U}) c.push(OneChannel::make(Op::read, line_at(group, 0, 0)), 10, 0);
  for (const unsigned group : {0U, 1U}) {
    Request other = OneChannel::make(Op::read, line_at(group, 0, 9));
    other.token = 1 + group;
    c.push(other, 12, 1);
  }
  c.on_port_free = refill;
  refill(0, 12);
  c.run();
  int seen = 0;
  for (const Event& e : c.reads) {
    if (e.request.token == 0) continue;
    ++seen;
    EXPECT_GT(e.at, 300U);
    EXPECT_LT(e.at, 300U + 200) << e.request.token;
  }
  EXPECT_EQ(seen, 2);
}

TEST(TheAgeCap, GivesAWriteItsTurnInAStreamOfReads) {
  MemoryConfig config = paper_channel();
  config.queue.age_cap_cycles = 200;
  OneChannel c(config, 2);
  const auto refill = [&](unsigned port, Tick now) {
    const Request r = OneChannel::make(Op::read, line_at(now % 2, 0, 0, now % 16));
    while (now < 4000 && c.channel.can_accept(0, r))
      c.channel.push(port, OneChannel::make(Op::read, line_at(now % 2, 0, 0, now % 16)), now);
  };
  c.on_port_free = refill;
  refill(0, 10);
  c.push(OneChannel::make(Op::write, line_at(2, 0, 0)), 20, 1);
  c.run();
  for (const Event& e : c.done)
    if (e.request.op == Op::write) {
      EXPECT_GT(e.at, 200U);
      EXPECT_LT(e.at, 200U + 20 + 100);
    }
}

TEST(SplitQueues, DrainWritesInBatchesBetweenTheWatermarks) {
  MemoryConfig config = paper_channel();
  config.queue.kind = QueueKind::split;
  config.queue.write_high_watermark = 32;
  config.queue.write_low_watermark = 8;
  OneChannel c(config, 2);
  std::uint64_t writes_pushed = 0, reads_pushed = 0;
  const auto refill = [&](unsigned port, Tick now) {
    for (;;) {
      std::uint64_t& n = port == 0 ? reads_pushed : writes_pushed;
      const auto line = static_cast<unsigned>(n % 16);
      const Request r = port == 0 ? OneChannel::make(Op::read, line_at(n / 16 % 2, 0, 0, line))
                                  : OneChannel::make(Op::write, line_at(2 + n / 16 % 2, 0, 0, line));
      if (now > 5000 || !c.channel.can_accept(port, r)) return;
      c.channel.push(port, r, now);
      ++n;
    }
  };
  c.on_port_free = refill;
  refill(0, 10);
  refill(1, 10);
  c.run();
  // Batches of about 24 bursts, not single ones.
  const double batches = static_cast<double>(c.channel.queue_stats().direction_changes) / 2;
  EXPECT_GE(static_cast<double>(writes_pushed) * 4 / batches, 20);
  EXPECT_EQ(c.done.size(), writes_pushed + reads_pushed);
}

// Reads all the time, and a line of writes now and then.
TEST(SplitQueues, DrainFromTheHighWatermarkToTheLow) {
  MemoryConfig config = paper_channel();
  config.queue.kind = QueueKind::split;
  config.queue.write_high_watermark = 32;
  config.queue.write_low_watermark = 8;
  OneChannel c(config, 2);
  std::uint64_t reads = 0;
  const auto refill = [&](unsigned port, Tick now) {
    for (;;) {
      const Request r = OneChannel::make(Op::read, line_at(reads / 16 % 2, 0, 0, reads % 16));
      if (port != 0 || now > 2000 || !c.channel.can_accept(0, r)) return;
      c.channel.push(0, r, now);
      ++reads;
    }
  };
  for (unsigned i = 0; i < 16; ++i)
    c.push(OneChannel::make(Op::write, line_at(2, 0, 0, i)), 100 * (i + 1), 1);
  c.on_port_free = refill;
  refill(0, 10);
  c.run();
  const auto& commands = c.log.commands;
  const auto first = std::ranges::find(commands, Command::write, &IssuedCommand::command);
  ASSERT_NE(first, commands.end());
  EXPECT_GE(first->at, 800U) << "eight lines";
  EXPECT_LT(first->at, 900U);
  const auto next_read =
      std::find_if(first, commands.end(), [](const auto& i) { return i.command == Command::read; });
  const auto drained =
      std::count_if(first, next_read, [](const auto& i) { return i.command == Command::write; });
  EXPECT_EQ(drained, 32 - 8);
}

// Begun as nothing else was there: it does not stop at the low watermark, where it has never been.
TEST(SplitQueues, DrainAllOfFewWritesBeforeTheyTurnToReads) {
  MemoryConfig config = paper_channel();
  config.queue.kind = QueueKind::split;
  config.queue.write_high_watermark = 48;
  config.queue.write_low_watermark = 16;
  OneChannel c(config, 2);
  for (unsigned line = 0; line < 3; ++line)
    c.push(OneChannel::make(Op::write, line_at(0, 0, 0, line)), 10, 1);
  for (unsigned line = 0; line < 3; ++line) c.push(OneChannel::make(Op::read, line_at(1, 0, 0, line)), 15, 0);
  c.run();
  ASSERT_EQ(c.log.of(Command::write).size(), 12U);
  ASSERT_EQ(c.log.of(Command::read).size(), 12U);
  EXPECT_LT(c.log.of(Command::write).back().at, c.log.of(Command::read).front().at);
  EXPECT_EQ(c.channel.queue_stats().direction_changes, 2U);
}

TEST(ASharedCommandBus, CarriesOneCommandACycle) {
  MemoryConfig config = paper_channel();
  config.shared_command_bus = true;
  OneChannel c(config);
  for (unsigned i = 0; i < 16; ++i) c.push(OneChannel::make(Op::read, line_at(i % 4, i / 4, i)), 10);
  c.run();
  for (std::size_t i = 1; i < c.log.commands.size(); ++i)
    EXPECT_GT(c.log.commands[i].at, c.log.commands[i - 1].at);
}

// Drives a DRAM queue with random bursts and idle times; asks it every cycle, or only when it says that
// something may be due or a burst enters.
std::vector<IssuedCommand> drive(const MemoryConfig& config, std::uint64_t seed, bool every_cycle) {
  DramQueue queue(config, 1);
  CommandLog log;
  queue.observe(&log);
  std::mt19937_64 random(seed);
  Tick due = kNever;
  Tick arrival = 5;
  for (Tick now = 1; now < 60'000; ++now) {
    const bool arrives = now == arrival;
    if (!every_cycle && !arrives && now < due) continue;
    queue.catch_up(now);
    if (queue.occupancy() != 0) queue.issue(now);
    if (arrives) {
      const std::uint64_t r = random();
      const auto op = static_cast<Op>(r % 3);
      const auto bank = static_cast<std::uint8_t>(r >> 8 & 15);
      const Place place{static_cast<std::uint32_t>(r >> 16 & 3), static_cast<std::uint16_t>(r >> 20 & 15),
                        bank, static_cast<std::uint8_t>(bank / 4)};
      if (queue.has_room(op, 1)) queue.enter(0, op, Stream::compute, place, 1, now);
      arrival += random() % 100 == 0 ? 1 + random() % 9000 : 1 + random() % 5;
    }
    due = queue.next(now);
  }
  queue.catch_up(60'000);
  return log.commands;
}

void expect_no_lost_wake_up(const MemoryConfig& config) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto lazy = drive(config, seed, false);
    const auto eager = drive(config, seed, true);
    ASSERT_GT(lazy.size(), 1000U);
    ASSERT_EQ(lazy.size(), eager.size());
    for (std::size_t i = 0; i < lazy.size(); ++i) {
      ASSERT_EQ(lazy[i].at, eager[i].at) << "command " << i;
      ASSERT_EQ(lazy[i].command, eager[i].command);
      ASSERT_EQ(lazy[i].bank, eager[i].bank);
    }
  }
}

TEST(TheDramQueue, IssuesTheSameCommandsAskedEveryCycleOrOnlyWhenDue) {
  expect_no_lost_wake_up(paper_channel());
  MemoryConfig config = paper_channel();
  config.queue.age_cap_cycles = 60;
  expect_no_lost_wake_up(config);
  config.shared_command_bus = true;
  expect_no_lost_wake_up(config);
}

TEST(TheDramQueue, IssuesTheSameCommandsAskedEveryCycleOrOnlyWhenDueWithSplitQueuesAndRefresh) {
  MemoryConfig config = reference_memory();
  expect_no_lost_wake_up(config);
  config.queue.age_cap_cycles = config.queue.write_age_cap_cycles = 80;
  expect_no_lost_wake_up(config);
  config.refresh.mode = RefreshMode::per_bank;
  expect_no_lost_wake_up(config);
}

}  // namespace
}  // namespace t3sim::test
