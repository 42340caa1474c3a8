#include "memctrl/channel_stats.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "memory_fixture.h"

namespace t3sim::test {
namespace {

struct Collected final : StatsSink {
  std::map<std::string, double, std::less<>> values;
  void add(const Counter& counter, CounterValue value) override {
    values[std::string(counter.name)] = std::visit([](auto v) { return static_cast<double>(v); }, value);
  }
};

TEST(AChannelsStatistics, TellHitsMissesAndConflictsApart) {
  OneChannel c(paper_channel());
  c.push(OneChannel::make(Op::read, line_at(0, 0, 0, 0)), 10);
  c.push(OneChannel::make(Op::read, line_at(0, 0, 0, 1)), 500);
  c.push(OneChannel::make(Op::read, line_at(0, 0, 3, 0)), 1000);
  c.run();
  Collected s;
  c.channel.report(s, "channel[0]", 2000);
  EXPECT_EQ(s.values["compute_row_misses"], 1);
  EXPECT_EQ(s.values["compute_row_hits"], 1);
  EXPECT_EQ(s.values["compute_row_conflicts"], 1);
  EXPECT_EQ(s.values["commands_activate"], 2);
  EXPECT_EQ(s.values["commands_read"], 12);
  EXPECT_EQ(s.values["data_bus_busy"], 12);
  EXPECT_EQ(s.values["elapsed"], 2000);
  EXPECT_EQ(s.values["other_read_bytes"], 3 * 128);
}

TEST(AChannelsStatistics, AverageTheOccupancyOfTheQueueOverTime) {
  OneChannel c(paper_channel());
  // In the queue from 10: four bursts until 25, then one less each second cycle.
  c.push(OneChannel::make(Op::read, line_at(0, 0, 0)), 10);
  c.run();
  Collected s;
  c.channel.report(s, "channel[0]", 1000);
  EXPECT_DOUBLE_EQ(s.values["compute_mean_queue_occupancy"], (4 * 15 + 2 * (3 + 2 + 1)) / 1000.0);
  EXPECT_EQ(s.values["max_queue_occupancy"], 4);
}

TEST(AChannelsStatistics, CountHowLongHeadsOfPortsWaited) {
  OneChannel c(paper_channel());
  for (unsigned i = 0; i < 3; ++i) c.push(OneChannel::make(Op::read, line_at(0, 0, 0, i)), 10);
  c.run();
  EXPECT_EQ(c.channel.stats().head_wait_ticks[0], 2U) << "each became the head when the one before had gone";
}

TEST(AChannelsStatistics, TellWhereRequestsWaited) {
  OneChannel c(paper_channel());
  for (unsigned i = 0; i < 3; ++i) c.push(OneChannel::make(Op::read, line_at(0, 0, 0, i)), 10);
  c.run();
  const ChannelStats& s = c.channel.stats();
  EXPECT_EQ(s.port_wait_ticks[0], 0U + 1 + 2);
  // The first enters at 10, its row is open at 25; columns follow at CCDL, four a line.
  EXPECT_EQ(s.queue_wait_ticks[0], (31U - 10) + (39 - 11) + (47 - 12));
}

TEST(AChannelsStatistics, CountReadsFromTheirArrivalAtThePort) {
  OneChannel c(paper_channel());
  for (unsigned i = 0; i < 3; ++i) c.push(OneChannel::make(Op::read, line_at(0, 0, 0, i)), 10);
  c.run();
  // Last columns as above, then CL and a burst.
  EXPECT_EQ(c.channel.stats().read_latency[0].mean(), (31 + 39 + 47) / 3 + 14 + 1 - 10);
}

TEST(AChannelsStatistics, FollowBytesOverTime) {
  OneChannel outer(paper_channel());
  Scheduler scheduler;
  Channel channel(outer.config, 0, {Clock(1), scheduler, outer, outer.map, 1, 100});
  scheduler.add(channel);
  for (const Tick at : {10, 210, 220}) channel.push(0, OneChannel::make(Op::read, line_at(0, 0, 0)), at);
  scheduler.run();
  EXPECT_EQ(channel.series(Traffic::other, false).bins(), (std::vector<std::uint64_t>{128, 0, 256}));
  EXPECT_EQ(channel.stats().bytes_of_stream[0], 384U);
}

TEST(AChannelsStatistics, CountTheSameWithAnyClock) {
  const auto latency = [](Tick period) {
    OneChannel c(paper_channel(), 1, period);
    c.push(OneChannel::make(Op::read, line_at(0, 0, 0)), 10 * period);
    c.run();
    return c.channel.stats().read_latency[0].mean();
  };
  EXPECT_EQ(latency(1), latency(7));
}

TEST(ALatencyHistogram, IsExactForShortTimes) {
  LatencyHistogram h;
  for (std::uint64_t v = 1; v <= 63; ++v) h.add(v);
  EXPECT_EQ(h.percentile(0.5), 31U);
  EXPECT_EQ(h.percentile(1.0), 63U);
  EXPECT_EQ(h.mean(), 32.0);
}

TEST(ALatencyHistogram, IsAtMostOneStepOffForLongOnes) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> values;
  LatencyHistogram h;
  for (int i = 0; i < 10'000; ++i) {
    values.push_back(random() % 1'000'000);
    h.add(values.back());
  }
  std::sort(values.begin(), values.end());
  for (const double share : {0.01, 0.5, 0.99}) {
    const auto exact = static_cast<double>(values[static_cast<std::size_t>(share * 10'000) - 1]);
    EXPECT_LE(static_cast<double>(h.percentile(share)), exact);
    EXPECT_GE(static_cast<double>(h.percentile(share)), exact * 31 / 32 - 1);
  }
}

TEST(ALatencyHistogram, MergesIntoTheSumOfBoth) {
  LatencyHistogram a, b;
  a.add(5);
  b.add(500);
  b.add(7);
  a.merge(b);
  EXPECT_EQ(a.count(), 3U);
  EXPECT_EQ(a.min(), 5U);
  EXPECT_EQ(a.max(), 500U);
}

}  // namespace
}  // namespace t3sim::test
