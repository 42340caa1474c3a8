#include "memctrl/refresh.h"

#include <gtest/gtest.h>

#include <array>

#include "traffic.h"

namespace t3sim::test {
namespace {

MemoryConfig refreshing(RefreshMode mode) {
  MemoryConfig config = reference_memory();
  config.refresh.mode = mode;
  return config;
}

std::uint64_t refreshes(const CommandLog& log) {
  return log.of(Command::refresh).size() + log.of(Command::refresh_bank).size();
}

TEST(AllBankRefresh, ComesOnceAnIntervalUnderLoad) {
  CommandLog log;
  TrafficGenerator traffic(refreshing(RefreshMode::all_bank), {1, 1, 0, 4, 0}, 1, &log);
  const Tick end = traffic.run(50'000);
  EXPECT_EQ(refreshes(log), end / 3900);
}

TEST(PerBankRefresh, ComesOnceAnIntervalForEachBank) {
  CommandLog log;
  TrafficGenerator traffic(refreshing(RefreshMode::per_bank), {1, 1, 0, 4, 0}, 1, &log);
  const Tick end = traffic.run(50'000);
  EXPECT_NEAR(static_cast<double>(refreshes(log)), static_cast<double>(end) / 243, 2) << "3900 / 16";
  const auto turns = log.of(Command::refresh_bank);
  for (std::size_t i = 0; i < turns.size(); ++i) EXPECT_EQ(turns[i].bank, i % 16);
}

TEST(PerBankRefresh, FindsEachBankClosedInItsTurn) {
  CommandLog log;
  TrafficGenerator traffic(refreshing(RefreshMode::per_bank), {1, 1, 0, 4, 0}, 1, &log);
  traffic.run(50'000);
  std::array<bool, 16> open{};
  for (const IssuedCommand& c : log.commands) {
    if (c.command == Command::refresh_bank) {
      EXPECT_FALSE(open.at(c.bank)) << c.at;
    }
    if (c.command == Command::activate || c.command == Command::precharge)
      open.at(c.bank) = c.command == Command::activate;
  }
}

TEST(PerBankRefresh, LetsTheOtherBanksWork) {
  const auto end_of = [](RefreshMode mode) {
    TrafficGenerator traffic(refreshing(mode), {1, 0, 0, 8, 0}, 1, nullptr);
    return traffic.run(30'000);
  };
  const Tick none = end_of(RefreshMode::none);
  EXPECT_GT(end_of(RefreshMode::all_bank), none + none / 20);
  EXPECT_LT(end_of(RefreshMode::per_bank), end_of(RefreshMode::all_bank));
}

TEST(NoRefresh, IssuesNone) {
  CommandLog log;
  TrafficGenerator traffic(paper_channel(), {1, 1, 1, 4, 0}, 1, &log);
  traffic.run(20'000);
  EXPECT_EQ(refreshes(log), 0U);
}

TEST(AnIdleChannelsRefreshes, AreThoseOfAChannelThatWasAskedAllTheTime) {
  for (const RefreshMode mode : {RefreshMode::all_bank, RefreshMode::per_bank}) {
    const auto log_of = [&](bool ask) {
      OneChannel c(refreshing(mode));
      for (Tick at = 0; at <= 60'000; at += 20'000) {
        for (unsigned i = 0; i < 4; ++i) c.push(OneChannel::half_line(Op::read, at * 64 + i * 64), at + 10);
        c.run();
        if (ask)
          for (Tick t = at + 1000; t < at + 20'000; t += 7) c.channel.settle(t);
      }
      c.channel.settle(80'000);
      return c.log.commands;
    };
    const auto lazy = log_of(false), asked = log_of(true);
    ASSERT_EQ(lazy.size(), asked.size());
    for (std::size_t i = 0; i < lazy.size(); ++i) {
      EXPECT_EQ(lazy[i].at, asked[i].at);
      EXPECT_EQ(lazy[i].command, asked[i].command);
    }
  }
}

}  // namespace
}  // namespace t3sim::test
