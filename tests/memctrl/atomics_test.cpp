// Atomic updates at the L2 instead of op-and-store at the banks (section 7.4): what they cost, and that
// nothing comes between their two accesses.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

#include "memory_fixture.h"

namespace t3sim::test {
namespace {

MemoryConfig atomic_channel() {
  MemoryConfig config = paper_channel();
  config.reduction = ReductionSubstrate::atomic;
  return config;
}

MemoryConfig with_split_queues(MemoryConfig config) {
  config.queue.kind = QueueKind::split;
  config.queue.write_high_watermark = 48;
  config.queue.write_low_watermark = 16;
  return config;
}

MemoryConfig with_split_lines(MemoryConfig config) {
  config.mapping = {"row", "bank:2", "column:6", "bank_group:2"};
  return config;
}

TEST(AnAtomicUpdate, ReadsAddsAndWritesBack) {
  OneChannel c(atomic_channel());
  const DramTiming& t = c.config.timing;
  c.push(OneChannel::make(Op::update, line_at(0, 0, 0), 0b0001), 10);
  c.run();
  ASSERT_EQ(c.done.size(), 1U);
  const Tick read = 10 + 1 + t.rcd_read;
  ASSERT_EQ(c.log.of(Command::read).size(), 1U);
  EXPECT_EQ(c.log.of(Command::read)[0].at, read);
  EXPECT_EQ(c.done[0].at, read + t.cl + t.burst + c.config.atomic_cycles + 1);
  EXPECT_EQ(c.log.of(Command::write).size(), 1U);
  EXPECT_TRUE(c.log.of(Command::update).empty());
  EXPECT_TRUE(c.reads.empty()) << "nobody asked for data";
  EXPECT_TRUE(c.channel.idle());
}

TEST(AtomicUpdates, ReadAsManyBytesAsTheyWrite) {
  for (const MemoryConfig& config : {atomic_channel(), with_split_lines(atomic_channel())}) {
    OneChannel c(config);
    for (unsigned i = 0; i < 9; ++i)
      c.push(OneChannel::make(Op::update, i * kLineBytes, static_cast<std::uint8_t>(i + 1)), 10);
    c.run();
    const std::uint64_t sectors = 1 + 1 + 2 + 1 + 2 + 2 + 3 + 1 + 2;
    EXPECT_EQ(c.channel.bytes(Traffic::other, Op::update), sectors * kSectorBytes);
    EXPECT_EQ(c.channel.bytes(Traffic::other, Op::read), sectors * kSectorBytes);
    EXPECT_EQ(c.log.of(Command::read).size(), sectors);
    EXPECT_EQ(c.log.of(Command::write).size(), sectors);
  }
}

// The next update's read follows the write as soon as the bus may turn round.
TEST(AtomicUpdates, OfOneLineGoOneAfterTheOther) {
  OneChannel c(atomic_channel());
  const DramTiming& t = c.config.timing;
  for (unsigned i = 0; i < 5; ++i) c.push(OneChannel::make(Op::update, line_at(0, 0, 0), 0b0001), 10);
  c.run();
  ASSERT_EQ(c.done.size(), 5U);
  const Tick period = t.wl + t.burst + t.wtr_l + t.cl + t.burst + c.config.atomic_cycles + 1;
  for (unsigned i = 1; i < 5; ++i) EXPECT_EQ(c.done[i].at - c.done[i - 1].at, period);
}

// Bursts a cycle of a long stream of updates to many lines.
double throughput(const MemoryConfig& config) {
  OneChannel c(config);
  std::uint64_t pushed = 0;
  const auto refill = [&](unsigned, Tick now) {
    for (;;) {
      const Request r =
          OneChannel::make(Op::update, line_at(pushed % 4, pushed / 64 % 4, 0, pushed / 4 % 16));
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

TEST(AtomicUpdates, ReachAtMostHalfOfWhatOpAndStoreDoes) {
  const double near_memory = throughput(paper_channel());
  EXPECT_GE(near_memory, 0.99);
  for (const MemoryConfig& config : {atomic_channel(), with_split_queues(atomic_channel())}) {
    const double atomic = throughput(config);
    EXPECT_LE(atomic, 0.5) << "each moves its data twice";
    EXPECT_GE(atomic, 0.35) << "but for turning the bus round";
  }
}

TEST(AtomicUpdates, AreBoundByTheirLatencyWhereTheSlotsAreFew) {
  MemoryConfig config = atomic_channel();
  config.queue.shared_bursts = 4;  // slots too
  config.atomic_cycles = 2000;
  EXPECT_LE(throughput(config), 4.0 * 4 / 2000);
  EXPECT_GE(throughput(config), 4.0 * 4 / 2000 * 0.9);
}

// With nothing but updates, reads and writes of a burst take turns.
TEST(AtomicUpdates, LetNothingComeBetweenTheirTwoAccesses) {
  for (const MemoryConfig& config :
       {atomic_channel(), with_split_queues(atomic_channel()), with_split_lines(atomic_channel()),
        with_split_queues(with_split_lines(atomic_channel()))}) {
    OneChannel c(config);
    std::mt19937_64 random(7);
    for (unsigned i = 0; i < 1000; ++i) {
      const Request r = OneChannel::make(Op::update, random() % 20 * kLineBytes,
                                         static_cast<std::uint8_t>(1 + random() % 15));
      while (!c.channel.can_accept(0, r)) c.step();
      c.channel.push(0, r, 10);
    }
    c.run();
    ASSERT_EQ(c.done.size(), 1000U);
    std::map<std::tuple<unsigned, std::uint32_t, unsigned>, Command> last;
    for (const IssuedCommand& command : c.log.commands) {
      if (command.command != Command::read && command.command != Command::write) continue;
      const auto place = std::tuple{command.bank, command.row, command.column};
      const auto [seen, fresh] = last.insert({place, command.command});
      ASSERT_EQ(command.command == Command::read, fresh || seen->second == Command::write);
      seen->second = command.command;
    }
    for (const auto& [place, command] : last) EXPECT_EQ(command, Command::write);
  }
}

// The Tracker counts an update when it gets its slot. A read that comes then sees the sum all the same.
TEST(ARead, ThatIsTriggeredByAnAtomicUpdateComesAfterIt) {
  OneChannel c(atomic_channel());
  const std::uint64_t line = line_at(0, 0, 0);
  c.push(OneChannel::make(Op::update, line), 10);
  c.push(OneChannel::make(Op::read, line), 12, c.channel.communication_port());
  c.push(OneChannel::make(Op::read, line_at(1, 0, 0)), 13, c.channel.communication_port());
  c.run();
  ASSERT_EQ(c.done.size(), 3U);
  EXPECT_EQ(c.entered[0].at, 10U);
  EXPECT_EQ(c.done[0].request.address, line_at(1, 0, 0)) << "other lines need not wait";
  EXPECT_EQ(c.done[1].request.op, Op::update);
  EXPECT_EQ(c.done[2].request.address, line);
}

}  // namespace
}  // namespace t3sim::test
