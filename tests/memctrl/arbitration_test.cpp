// Section 4.5, clause by clause.
#include "memctrl/arbitration.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "memctrl/arbitration/mca.h"
#include "memory_fixture.h"

namespace t3sim::test {
namespace {

using First = ArbitrationChoice::First;

ArbitrationConfig policy(ArbitrationKind kind, std::uint32_t threshold = ArbitrationConfig::kNoThreshold) {
  ArbitrationConfig config;
  config.policy = kind;
  config.threshold_bursts = threshold;
  return config;
}

ArbitrationView both(Tick now, std::uint32_t occupancy = 0) { return {now, true, true, occupancy}; }
ArbitrationView only_communication(Tick now, std::uint32_t occupancy = 0) {
  return {now, false, true, occupancy};
}
ArbitrationView only_compute(Tick now) { return {now, true, false, 0}; }

TEST(ArbitrationPolicies, HaveNamesOfTheirOwnAndCanBeMade) {
  std::set<std::string_view> names;
  for (const ArbitrationEntry& entry : arbitration_policies()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_NE(make_arbitration(policy(entry.kind), 1), nullptr) << entry.name;
    EXPECT_EQ(arbitration_policy(entry.kind).name, entry.name);
  }
}

TEST(RoundRobin, Alternates) {
  const auto p = make_arbitration(policy(ArbitrationKind::round_robin), 1);
  EXPECT_EQ(p->choose(both(1)).first, First::compute);
  p->entered(Stream::compute, 1);
  EXPECT_EQ(p->choose(both(2)).first, First::communication);
  p->entered(Stream::communication, 2);
  EXPECT_EQ(p->choose(both(3)).first, First::compute);
}

TEST(RoundRobin, FallsBackToTheOtherStreamWhenOneIsEmpty) {
  const auto p = make_arbitration(policy(ArbitrationKind::round_robin), 1);
  p->entered(Stream::communication, 1);
  EXPECT_EQ(p->choose(only_communication(2)).first, First::communication);
  p->entered(Stream::compute, 2);
  EXPECT_EQ(p->choose(only_compute(3)).first, First::compute);
}

TEST(ComputeFirst, AlwaysPrefersCompute) {
  const auto p = make_arbitration(policy(ArbitrationKind::compute_first), 1);
  for (Tick t = 1; t < 5000; ++t) {
    EXPECT_EQ(p->choose(both(t, 63)).first, First::compute);
    p->entered(Stream::compute, t);
  }
  EXPECT_EQ(p->choose(only_communication(5000, 63)).first, First::communication);
}

TEST(Mca, PrefersCompute) {
  const auto p = make_arbitration(policy(ArbitrationKind::mca), 1);
  p->entered(Stream::communication, 10);
  EXPECT_EQ(p->choose(both(11)).first, First::compute);
}

TEST(Mca, AdmitsCommunicationOnlyBelowTheThreshold) {
  for (const std::uint32_t threshold : {5U, 10U, 30U}) {
    const auto p = make_arbitration(policy(ArbitrationKind::mca, threshold), 1);
    p->entered(Stream::communication, 10);
    EXPECT_EQ(p->choose(only_communication(11, threshold - 1)).first, First::communication);
    EXPECT_EQ(p->choose(only_communication(11, threshold)).first, First::nobody);
  }
}

TEST(Mca, WithoutThresholdAdmitsCommunicationWheneverComputeIsEmpty) {
  const auto p = make_arbitration(policy(ArbitrationKind::mca), 1);
  p->entered(Stream::communication, 10);
  EXPECT_EQ(p->choose(only_communication(11, 63)).first, First::communication);
}

TEST(Mca, PutsCommunicationFirstAtTheStarvationLimit) {
  const auto p = make_arbitration(policy(ArbitrationKind::mca, 5), 10);  // 128 cycles of 10 ticks
  p->entered(Stream::communication, 1000);
  EXPECT_EQ(p->choose(both(1000 + 1270, 60)).first, First::compute);
  EXPECT_EQ(p->choose(only_communication(1000 + 1270, 60)).first, First::nobody);
  EXPECT_EQ(p->next_change(), 1000U + 1280);
  EXPECT_EQ(p->choose(both(1000 + 1280, 60)).first, First::communication);
  p->entered(Stream::communication, 1000 + 1280);
  EXPECT_EQ(p->choose(both(1000 + 1290, 60)).first, First::compute);
}

TEST(Mca, DrainsCommunicationAfterTheKernelsEnd) {
  const auto p = make_arbitration(policy(ArbitrationKind::mca, 5), 1);
  p->entered(Stream::communication, 10);
  p->kernel_ended();
  EXPECT_EQ(p->choose(both(11, 60)).first, First::communication);
  EXPECT_EQ(p->choose(only_compute(11)).first, First::compute);
  p->kernel_started();
  EXPECT_EQ(p->choose(both(12, 60)).first, First::compute);
}

TEST(Mca, ChoosesSmallerThresholdsForMoreIntenseKernels) {
  EXPECT_EQ(Mca::threshold_for(0), ArbitrationConfig::kNoThreshold);
  EXPECT_EQ(Mca::threshold_for(4.9), ArbitrationConfig::kNoThreshold);
  EXPECT_EQ(Mca::threshold_for(5), 30U);
  EXPECT_EQ(Mca::threshold_for(9.9), 30U);
  EXPECT_EQ(Mca::threshold_for(10), 10U);
  EXPECT_EQ(Mca::threshold_for(30), 5U);
  EXPECT_EQ(Mca::threshold_for(64), 5U);
}

TEST(Mca, TakesTheThresholdFromTheFirstStageOnlyWhenAskedTo) {
  const auto automatic = make_arbitration(policy(ArbitrationKind::mca, ArbitrationConfig::kAutoThreshold), 1);
  EXPECT_EQ(automatic->threshold_bursts(), ArbitrationConfig::kNoThreshold);
  automatic->first_stage_done(20);
  EXPECT_EQ(automatic->threshold_bursts(), 10U);
  const auto fixed = make_arbitration(policy(ArbitrationKind::mca, 30), 1);
  fixed->first_stage_done(60);
  EXPECT_EQ(fixed->threshold_bursts(), 30U);
}

TEST(McaPaced, PutsCommunicationFirstOnceAPaceAndFollowsMcaBetween) {
  ArbitrationConfig config = policy(ArbitrationKind::mca_paced, 10);
  config.pace_cycles = 20;
  const auto p = make_arbitration(config, 1);
  Tick now = 1000;
  for (int saved = 0; saved < 9; ++saved, ++now) {  // eight saved lines, and the one that is due
    EXPECT_EQ(p->choose(both(now, 60)).first, First::communication) << saved;
    p->entered(Stream::communication, now);
  }
  EXPECT_EQ(p->choose(both(now, 60)).first, First::compute);
  EXPECT_FALSE(p->choose(both(now, 10)).then_other);
  EXPECT_EQ(p->choose(only_communication(now, 9)).first, First::communication);
  EXPECT_EQ(p->next_change(), 1000U + 20);
  EXPECT_EQ(p->choose(both(1020, 60)).first, First::communication);
}

// --- in the channel
// -----------------------------------------------------------------------------------------------

MemoryConfig with_policy(ArbitrationKind kind, std::uint32_t threshold = ArbitrationConfig::kNoThreshold) {
  MemoryConfig config = paper_channel();
  config.arbitration = policy(kind, threshold);
  return config;
}

// Keeps both ports full of reads to rows that are open, in other banks, until `end`.
struct Contention : OneChannel {
  explicit Contention(const MemoryConfig& memory) : OneChannel(memory) {
    on_port_free = [this](unsigned port, Tick now) { refill(port, now); };
  }
  void refill(unsigned port, Tick now) {
    for (;;) {
      const auto line = static_cast<unsigned>(pushed[port] % 16);
      const auto group = static_cast<unsigned>(2 * port + pushed[port] / 16 % 2);
      Request r = make(Op::read, line_at(group, 0, 0, line));
      r.stream = port == 1 ? Stream::communication : Stream::compute;
      if (now >= end || !channel.can_accept(port, r)) return;
      channel.push(port, r, now);
      ++pushed[port];
    }
  }
  void run_until(Tick limit) {
    end = limit;
    refill(0, 10);
    refill(1, 10);
    run();
  }
  std::uint64_t entered_before(Stream stream, Tick limit) const {
    std::uint64_t n = 0;
    for (const Event& e : entered) n += e.request.stream == stream && e.at < limit;
    return n;
  }

  Tick end = 0;
  std::uint64_t pushed[2] = {};
};

TEST(AContendedChannel, SharesEquallyUnderRoundRobin) {
  Contention c(with_policy(ArbitrationKind::round_robin));
  c.run_until(20'000);
  const auto compute = static_cast<double>(c.entered_before(Stream::compute, 20'000));
  EXPECT_NEAR(compute / static_cast<double>(c.entered_before(Stream::communication, 20'000)), 1.0, 0.01);
  EXPECT_NEAR(compute, 20'000.0 / 8, 100) << "a line takes four cycles";
}

TEST(AContendedChannel, GivesCommunicationOneLineEachStarvationLimitUnderMca) {
  Contention c(with_policy(ArbitrationKind::mca));
  c.run_until(20'000);
  EXPECT_NEAR(static_cast<double>(c.entered_before(Stream::communication, 20'000)), 20'000.0 / 128, 10);
}

TEST(AContendedChannel, GivesCommunicationItsPaceUnderMcaPaced) {
  Contention c(with_policy(ArbitrationKind::mca_paced));
  c.run_until(20'000);
  EXPECT_NEAR(static_cast<double>(c.entered_before(Stream::communication, 20'000)), 20'000.0 / 27 + 8, 10);
}

TEST(AContendedChannel, StarvesCommunicationUnderComputeFirst) {
  Contention c(with_policy(ArbitrationKind::compute_first));
  c.run_until(20'000);
  EXPECT_LE(c.entered_before(Stream::communication, 20'000), 1U);
}

TEST(CommunicationAlone, FillsTheQueueNoFurtherThanTheThreshold) {
  Contention c(with_policy(ArbitrationKind::mca, 10));
  c.channel.kernel_started();
  c.end = 5000;
  c.refill(1, 10);
  c.run();
  EXPECT_LE(c.channel.stats().max_occupancy, 9U + 4);  // one line over, and one for starvation
  EXPECT_GT(c.entered.size(), 5000U / 8) << "and is not slowed down below half the peak";
}

// However full communication keeps the queue.
TEST(AChannel, MeasuresNoOccupancyByCommunicationForTheThreshold) {
  Contention c(with_policy(ArbitrationKind::mca, ArbitrationConfig::kAutoThreshold));
  c.end = 5000;
  c.push(OneChannel::make(Op::read, line_at(0, 0, 0)), 10);
  c.refill(1, 10);
  c.run();
  c.channel.first_stage_done();
  EXPECT_EQ(c.channel.policy().threshold_bursts(), ArbitrationConfig::kNoThreshold);
}

TEST(AChannel, MeasuresTheComputeStreamsOccupancyForTheThreshold) {
  Contention c(with_policy(ArbitrationKind::mca, ArbitrationConfig::kAutoThreshold));
  c.end = 5000;
  c.refill(0, 10);
  c.run();
  c.channel.first_stage_done();
  EXPECT_EQ(c.channel.policy().threshold_bursts(), 5U) << "a full queue";
  c.channel.kernel_started();
  c.push(OneChannel::make(Op::read, line_at(0, 0, 0)), 20'000);
  c.run();
  c.channel.first_stage_done();
  EXPECT_EQ(c.channel.policy().threshold_bursts(), ArbitrationConfig::kNoThreshold) << "a single line";
}

}  // namespace
}  // namespace t3sim::test
