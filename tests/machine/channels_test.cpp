// Collectives as a library's kernel runs them, and a GEMM that stores to the owners of its rows, on whole machines.
#include <gtest/gtest.h>

#include "base/error.h"
#include "draws.h"
#include "machine/small_cluster.h"
#include "plan/channel_plan.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kPart = 512 << 10;  // bytes of an array that a GPU owns

Config small_machine(std::uint32_t gpus, GpuModel model) {
  Config config = small_config(gpus, 256, 256, 64, model);
  config.topology.kind = TopologyKind::switched;
  config.execution.channel.slice_sync_ps = 0;
  config.execution.channel.flag_latency_ps = 0;
  return config;
}

ChannelPlan plan_of(ChannelOp op, std::uint32_t rank, std::uint32_t gpus, std::uint32_t channels = 4) {
  const ChannelSettings settings{channels, 64 << 10};
  return op == ChannelOp::all_to_all ? all_to_all_channels(rank, gpus, gpus * kPart, settings)
                                     : ring_channels(op, rank, gpus, gpus * kPart, settings);
}

Phase channels(ChannelOp op, const Config& config, std::uint32_t channels = 4) {
  Phase phase;
  auto plans = std::make_shared<std::vector<ChannelPlan>>();
  for (std::uint32_t rank = 0; rank < config.gpus.count; ++rank)
    plans->push_back(plan_of(op, rank, config.gpus.count, channels));
  phase.channels = std::move(plans);
  return phase;
}

// A flag for each slot that is given back: all slices but those that find their slot empty.
std::uint64_t credits(const ChannelPlan& plan) {
  std::uint64_t count = 0;
  for (const ChannelConnection& c : plan.connections)
    count += c.slices > plan.slots ? c.slices - plan.slots : 0;
  return count;
}

struct OpAndParts {
  ChannelOp op;
  std::uint64_t parts_sent;  // that a GPU sends, each to one other
};

TEST(Channels, SendEveryPartOnceAndAFlagForEverySlotThatIsUsedAgain) {
  for (const std::uint32_t gpus : few({3U, 2U, 4U}, 1))
    for (const auto& [op, parts] : {OpAndParts{ChannelOp::all_gather, gpus - 1},
                                    {ChannelOp::reduce_scatter, gpus - 1},
                                    {ChannelOp::all_reduce, 2 * (gpus - 1)},
                                    {ChannelOp::all_to_all, gpus - 1}})
      for (const GpuModel model : {GpuModel::mirror, GpuModel::explicit_}) {
        const Config config = small_machine(gpus, model);
        const PhaseResult result = run_phase(config, channels(op, config));
        EXPECT_EQ(result.link_bytes, parts * kPart + kSectorBytes * credits(plan_of(op, 0, gpus)))
            << static_cast<int>(op) << " on " << gpus;
      }
}

// Nearly: the parts of the array that a GPU begins with lie at other addresses on each.
TEST(Channels, TakeTheSameTimeOnOneGpuThatStandsForAllAsOnAllOfThem) {
  T3_SKIP_IF_SANITIZED();
  for (const ChannelOp op : {ChannelOp::all_gather, ChannelOp::reduce_scatter, ChannelOp::all_to_all}) {
    const Config one = small_machine(4, GpuModel::mirror), all = small_machine(4, GpuModel::explicit_);
    const double alone = run_phase(one, channels(op, one)).time_us;
    EXPECT_NEAR(run_phase(all, channels(op, all)).time_us, alone, 0.03 * alone) << static_cast<int>(op);
  }
}

// 1.5 MiB at 5 GB/s: 315 us, beside which nothing else counts.
TEST(Channels, TakeALinksTimeWhereTheLinkIsSlow) {
  Config config = small_machine(4, GpuModel::mirror);
  config.topology.link.bandwidth_Bps = 5'000'000'000;
  for (const ChannelOp op : {ChannelOp::all_gather, ChannelOp::reduce_scatter, ChannelOp::all_to_all})
    EXPECT_NEAR(run_phase(config, channels(op, config)).time_us, 3.0 * kPart / 5e3, 20)
        << static_cast<int>(op);
}

// One channel between two GPUs, 32 slices, 4 slots: a slice, and its slot back, every four slices.
TEST(Channels, WaitForASlotToBeFreeAgain) {
  Config config = small_machine(2, GpuModel::mirror);
  config.topology.link.latency_ps = 100'000'000;
  const Phase phase = channels(ChannelOp::all_gather, config, 1);
  const std::uint32_t slices = phase.channels->front().connections.front().slices;
  ASSERT_EQ(slices, 32U);
  const double rounds = slices / 4;
  EXPECT_GT(run_phase(config, phase).time_us, (2 * rounds - 1) * 100);
  EXPECT_LT(run_phase(config, phase).time_us, (2 * rounds - 1) * 100 * 1.2);
}

TEST(Channels, SeeAFlagOnlyAfterItsLatency) {
  Config config = small_machine(2, GpuModel::mirror);
  config.topology.link.latency_ps = 1'000'000;
  const Phase phase = channels(ChannelOp::all_gather, config, 1);
  const double before = run_phase(config, phase).time_us;
  config.execution.channel.flag_latency_ps = 101'000'000;  // the link's included
  const double chain = 2 * 32 / 4 - 1;                     // flags one after the other
  EXPECT_NEAR(run_phase(config, phase).time_us, before + chain * 100, 0.2 * chain * 100);
}

PhaseResult owner_stores(bool shifted, std::uint64_t bandwidth_Bps) {
  Config config = small_config(4, 1024, 512, 64, GpuModel::explicit_);
  config.topology.kind = TopologyKind::switched;
  config.topology.link.bandwidth_Bps = bandwidth_Bps;
  Phase phase;
  phase.kernel = WorkloadKernel{.stores = WorkloadKernel::Stores::owner, .shifted = shifted};
  return run_phase(config, phase);
}

TEST(StoresToTheOwner, SendAllRowsButTheOwn) {
  for (const bool shifted : {false, true})
    EXPECT_EQ(owner_stores(shifted, 75'000'000'000).link_bytes, 3 * 1024 * 512 * 2 / 4) << shifted;
}

// All begin with the rows of GPU 0: its one link takes what three send. Shifted, each link has its own sender.
TEST(StoresToTheOwner, CrowdOneLinkUnlessEachBeginsWithAnotherOwner) {
  const double naive = owner_stores(false, 10'000'000'000).time_us;
  const double shifted = owner_stores(true, 10'000'000'000).time_us;
  EXPECT_GT(naive, 1.3 * shifted);
  EXPECT_NEAR(shifted, 3 * 1024 * 512 * 2 / 4 / 10e3, 15);
}

}  // namespace
}  // namespace t3sim
