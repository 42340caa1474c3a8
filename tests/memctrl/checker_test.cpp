// The protocol checker finds nothing in what the controller does, and everything that is done to it.
#include "memctrl/checker.h"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>

#include "draws.h"
#include "traffic.h"

namespace t3sim::test {
namespace {

// T3SIM_CHECK_COMMANDS=100000000 makes the long run of the validation.
std::uint64_t wanted_commands() {
  const char* text = std::getenv("T3SIM_CHECK_COMMANDS");
  return text == nullptr ? draws(10'000'000ULL) : std::strtoull(text, nullptr, 10);
}

struct Machine {
  const char* name;
  MemoryConfig config;
};

std::vector<Machine> machines() {
  MemoryConfig per_bank = tight_memory();
  per_bank.refresh.mode = RefreshMode::per_bank;
  MemoryConfig shared_bus = reference_memory();
  shared_bus.shared_command_bus = true;
  MemoryConfig pieces = paper_channel();
  pieces.mapping = {"row", "bank:2", "column:6", "bank_group:2"};
  MemoryConfig capped = reference_memory();
  capped.queue.age_cap_cycles = capped.queue.write_age_cap_cycles = 100;
  return {{"paper", paper_channel()},     {"reference", reference_memory()}, {"tight", tight_memory()},
          {"per-bank refresh", per_bank}, {"shared bus", shared_bus},        {"lines in pieces", pieces},
          {"short age cap", capped}};
}

TEST(TheChecker, FindsNothingInTenMillionCommandsOfMixedTraffic) {
  const TrafficMix mixes[] = {{1, 1, 1, 4, 0}, {2, 1, 0, 64, 0}, {1, 0, 1, 2, 500}, {0, 0, 1, 8, 0}};
  const std::size_t runs = machines().size() * std::size(mixes);
  std::uint64_t commands = 0, seed = 1;
  for (const Machine& machine : machines())
    for (const TrafficMix& mix : mixes) {
      ProtocolChecker checker(machine.config, 1);
      TrafficGenerator traffic(machine.config, mix, seed++, &checker);
      std::uint64_t requests = 0;
      while (checker.commands() < wanted_commands() / runs + 1) {
        checker.finish(traffic.run(20'000));
        requests += 20'000;
      }
      EXPECT_EQ(checker.violation_count(), 0U) << machine.name << ": " << checker.violations().front();
      EXPECT_EQ(traffic.performed_count(), requests);
      EXPECT_TRUE(traffic.channel().idle());
      commands += checker.commands();
    }
  EXPECT_GE(commands, wanted_commands());
}

// --- planted faults: the controller works to other timings than the checker
// -----------------------------------------

struct ShortenedTiming {
  const char* name;
  std::function<void(MemoryConfig&)> shorten;
};
std::ostream& operator<<(std::ostream& out, const ShortenedTiming& f) { return out << f.name; }

std::vector<ShortenedTiming> shortened() {
  return {
      {"burst", [](MemoryConfig& c) { --c.timing.burst; }},
      {"ccd_s", [](MemoryConfig& c) { --c.timing.ccd_s; }},
      {"ccd_l", [](MemoryConfig& c) { --c.timing.ccd_l; }},
      {"ccd_update", [](MemoryConfig& c) { --c.timing.ccd_update; }},
      {"broken_ccdwl", [](MemoryConfig& c) { c.timing.ccd_update = c.timing.ccd_l; }},
      {"rrd_s", [](MemoryConfig& c) { --c.timing.rrd_s; }},
      {"rrd_l", [](MemoryConfig& c) { --c.timing.rrd_l; }},
      {"faw", [](MemoryConfig& c) { --c.timing.faw; }},
      {"rcd_read", [](MemoryConfig& c) { --c.timing.rcd_read; }},
      {"rcd_write", [](MemoryConfig& c) { --c.timing.rcd_write; }},
      {"ras", [](MemoryConfig& c) { --c.timing.ras; }},
      {"rp", [](MemoryConfig& c) { --c.timing.rp; }},
      {"rc", [](MemoryConfig& c) { --c.timing.rc; }},
      {"cl", [](MemoryConfig& c) { --c.timing.cl; }},
      {"wl", [](MemoryConfig& c) { --c.timing.wl; }},
      {"wtr_s", [](MemoryConfig& c) { --c.timing.wtr_s; }},
      {"wtr_l", [](MemoryConfig& c) { --c.timing.wtr_l; }},
      {"wr", [](MemoryConfig& c) { --c.timing.wr; }},
      {"rtp", [](MemoryConfig& c) { --c.timing.rtp; }},
      {"bus_turnaround", [](MemoryConfig& c) { --c.timing.bus_turnaround; }},
      {"rfc", [](MemoryConfig& c) { --c.refresh.all_bank_cycles; }},
      {"no_refresh_at_all", [](MemoryConfig& c) { c.refresh.mode = RefreshMode::none; }},
      {"half_the_refreshes", [](MemoryConfig& c) { c.refresh.interval_cycles *= 2; }},
  };
}

class AShortenedTiming : public ::testing::TestWithParam<ShortenedTiming> {};

TEST_P(AShortenedTiming, IsFoundByTheChecker) {
  MemoryConfig faulty = tight_memory();
  GetParam().shorten(faulty);
  ProtocolChecker checker(tight_memory(), 1);
  std::uint64_t seed = 1;
  for (const TrafficMix& mix : {TrafficMix{1, 1, 1, 4, 0}, {1, 0, 0, 64, 0}, {1, 0, 0, 1, 0}}) {
    ProtocolChecker fresh(tight_memory(), 1);
    TrafficGenerator traffic(faulty, mix, seed++, &fresh);
    fresh.finish(traffic.run(10'000));
    if (fresh.violation_count() != 0) return;
  }
  FAIL() << "not found";
}

std::string fault_name(const ::testing::TestParamInfo<ShortenedTiming>& which) { return which.param.name; }

INSTANTIATE_TEST_SUITE_P(Each, AShortenedTiming, ::testing::ValuesIn(shortened()), fault_name);

// --- planted faults: a sound command stream, changed in one place
// -----------------------------------------------------

std::vector<IssuedCommand> sound_stream(RefreshMode mode) {
  MemoryConfig config = tight_memory();
  config.refresh.mode = mode;
  CommandLog log;
  TrafficGenerator traffic(config, {1, 1, 1, 4, 0}, 3, &log);
  traffic.run(5000);
  return log.commands;
}

bool finds(RefreshMode mode, const std::vector<IssuedCommand>& commands) {
  MemoryConfig config = tight_memory();
  config.refresh.mode = mode;
  ProtocolChecker checker(config, 1);
  for (const IssuedCommand& c : commands) checker.command(c);
  checker.finish(commands.back().at);
  return checker.violation_count() != 0;
}

// Index of a command of one kind in the middle of the stream.
std::size_t middle(const std::vector<IssuedCommand>& stream, Command kind) {
  std::size_t i = stream.size() / 2;
  while (stream[i].command != kind) ++i;
  return i;
}

void expect_loss_found(RefreshMode mode, Command kind) {
  auto stream = sound_stream(mode);
  ASSERT_FALSE(finds(mode, stream));
  stream.erase(stream.begin() + static_cast<std::ptrdiff_t>(middle(stream, kind)));
  EXPECT_TRUE(finds(mode, stream)) << to_string(kind);
}

TEST(TheChecker, FindsALostPrecharge) { expect_loss_found(RefreshMode::all_bank, Command::precharge); }
TEST(TheChecker, FindsALostActivate) { expect_loss_found(RefreshMode::all_bank, Command::activate); }
TEST(TheChecker, FindsAMissedRefresh) { expect_loss_found(RefreshMode::all_bank, Command::refresh); }
TEST(TheChecker, FindsAMissedRefreshOfABank) {
  expect_loss_found(RefreshMode::per_bank, Command::refresh_bank);
}

void expect_change_found(Command kind, const std::function<void(IssuedCommand&)>& change) {
  auto stream = sound_stream(RefreshMode::all_bank);
  change(stream[middle(stream, kind)]);
  EXPECT_TRUE(finds(RefreshMode::all_bank, stream));
}

TEST(TheChecker, FindsAReadOfARowThatIsNotOpen) {
  expect_change_found(Command::read, [](IssuedCommand& c) { ++c.row; });
}
TEST(TheChecker, FindsAColumnThatDoesNotExist) {
  expect_change_found(Command::write, [](IssuedCommand& c) { c.column = 4000; });
}
TEST(TheChecker, FindsABankThatDoesNotExist) {
  expect_change_found(Command::update, [](IssuedCommand& c) { c.bank = 16; });
}
TEST(TheChecker, FindsARefreshOfTheWrongKind) {
  expect_change_found(Command::refresh, [](IssuedCommand& c) { c.command = Command::refresh_bank; });
}
TEST(TheChecker, FindsTwoCommandsInOneCycleOfABus) {
  auto stream = sound_stream(RefreshMode::all_bank);
  const std::size_t i = middle(stream, Command::read);
  stream.insert(stream.begin() + static_cast<std::ptrdiff_t>(i), stream[i]);
  EXPECT_TRUE(finds(RefreshMode::all_bank, stream));
}
TEST(TheChecker, FindsACommandBetweenTwoEdges) {
  ProtocolChecker checker(paper_channel(), 10);
  checker.command({105, Command::activate, 0, 0, 0});
  EXPECT_EQ(checker.violation_count(), 1U);
}

}  // namespace
}  // namespace t3sim::test
