// What a CU stores: its way, fences, acknowledgements and the end of the kernel.
#include <gtest/gtest.h>

#include "gpu/cu_fixture.h"

namespace t3sim::test {
namespace {

TEST(ComputeUnit, KeepsAWorkgroupUntilItsStoresAreAcknowledged) {
  GpuConfig config = OneCu::small_gpu();
  config.store_acknowledgement = true;
  OneCu cu(config);
  cu.acknowledged_after = 500;
  ListedKernel kernel(cu.scheduler, {{stores({run_of(0, 256)})}, {computes(10)}});
  cu.run(kernel);
  ASSERT_EQ(cu.accepted.size(), 2U);
  ASSERT_EQ(kernel.asked.size(), 4U);
  EXPECT_EQ(kernel.asked[2].workgroup, 1U);
  EXPECT_EQ(kernel.asked[2].at, cu.accepted[1].at + 500);
}

TEST(ComputeUnit, GetsAnAcknowledgementForEachSectorOverACrossbar) {
  GpuConfig config = with_crossbar();
  config.store_acknowledgement = true;
  OneCu cu(config);
  cu.acknowledged_after = 500;
  ListedKernel kernel(cu.scheduler, {{stores({run_of(0, 128)})}, {computes(10)}});
  cu.run(kernel);
  ASSERT_EQ(kernel.asked.size(), 4U);
  EXPECT_EQ(kernel.asked[2].at, cu.accepted.at(0).at + 500 + 3);
}

TEST(ComputeUnit, WaitsForNoAcknowledgementOfStoresOverTheLink) {
  GpuConfig config = OneCu::small_gpu();
  config.store_acknowledgement = true;
  OneCu cu(config);
  ListedKernel kernel(cu.scheduler, {{stores({run_of(0, 256)})}, {computes(10)}});
  kernel.to.remote = true;
  cu.run(kernel);
  EXPECT_TRUE(cu.kernel->all_retired());
}

TEST(ComputeUnit, SendsRemoteStoresToTheLinkAsTheRouteSays) {
  OneCu cu;
  ListedKernel kernel(cu.scheduler, {{stores({run_of(64, 128)})}});
  kernel.to = {true, 3, Op::update, true, 5};
  cu.run(kernel);
  ASSERT_EQ(cu.link.arrived.size(), 2U);
  const Request& r = cu.link.arrived[0].request;
  EXPECT_EQ(r.gpu, 3U);
  EXPECT_EQ(r.op, Op::update);
  EXPECT_TRUE(r.tracked);
  EXPECT_EQ(r.announces, 5U);
  EXPECT_EQ(r.sectors, 0b1100);
  EXPECT_EQ(cu.link.arrived[1].request.sectors, 0b0011);
  EXPECT_TRUE(cu.accepted.empty());
  EXPECT_FALSE(cu.kernel->ended());  // until the link has taken them on their way
  cu.kernel->store_accepted(1000, false);
  cu.kernel->store_accepted(1000, false);
  EXPECT_TRUE(cu.kernel->ended());
}

// Three buffers, and a link that takes one store at once and the second at 1000: until then that waits in the
// lane and the third behind it.
Tick asked_behind_a_store(bool fence) {
  OneCu cu(OneCu::small_gpu(), OneCu::small_l2(), 1);
  Group announce = computes(10);
  announce.fence = fence;
  ListedKernel kernel(cu.scheduler, {{stores({run_of(0, 384)}), announce, loads({run_of(4096, 32)})}}, 3);
  kernel.to.remote = true;
  kernel.to.gpu = 1;
  cu.scheduler.wake(cu.link, 1000);
  cu.run(kernel);
  return kernel.asked.at(2).at;
}

TEST(AFence, LetsNothingBehindItBeginBeforeTheStoresBeforeItHaveLeft) {
  EXPECT_LT(asked_behind_a_store(false), 1000U);
  EXPECT_GT(asked_behind_a_store(true), 1000U + 10);
}

TEST(ComputeUnit, IsLimitedByItsNetworkPortWhenItStores) {
  OneCu cu;
  std::vector<t3sim::Run> lines;
  for (std::uint32_t i = 0; i < 100; ++i) lines.push_back(run_of(i * 128, 128));
  ListedKernel kernel(cu.scheduler, {{stores(lines)}});
  cu.run(kernel);
  ASSERT_EQ(cu.accepted.size(), 100U);
  EXPECT_EQ(cu.accepted.back().at - cu.accepted.front().at, 99U * 4);  // 128 B at 32 B a cycle
}

TEST(KernelRun, EndsOnceWhenTheLastStoreIsSafe) {
  OneCu cu;
  ListedKernel kernel(cu.scheduler, {{stores({run_of(0, 256)})}, {stores({run_of(512, 256)})}});
  KernelRun::Setup setup;
  setup.source = &kernel;
  setup.router = &kernel;
  setup.first_stage = 1;
  cu.kernel = std::make_unique<KernelRun>(setup);
  std::vector<Tick> ends, stages;
  cu.kernel->on_end = [&](Tick now) { ends.push_back(now); };
  cu.kernel->on_first_stage = [&](Tick now) { stages.push_back(now); };
  cu.cu->run(*cu.kernel, 0);
  cu.scheduler.run();
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0], cu.accepted.back().at);
  ASSERT_EQ(stages.size(), 1U);
  EXPECT_EQ(stages[0], cu.kernel->times()[0].retired);
  EXPECT_LT(stages[0], ends[0]);
}

TEST(ComputeUnit, LetsStoresLeaveWhileAnotherWorkgroupWaitsForItsLoads) {
  GpuConfig config = OneCu::small_gpu();
  config.loads_in_flight = 1;
  OneCu cu(config);
  std::vector<t3sim::Run> many, lines;
  for (std::uint32_t i = 0; i < 20; ++i) many.push_back(run_of(i * 128, 128));
  for (std::uint32_t i = 0; i < 10; ++i) lines.push_back(run_of((100 + i) * 128, 128));
  ListedKernel kernel(cu.scheduler, {{loads(many)}, {stores(lines)}});
  cu.run(kernel, 2);
  ASSERT_EQ(cu.accepted.size(), 10U);
  EXPECT_LT(cu.accepted.back().at, 150U);  // 10 x 4 cycles, and the network
}

}  // namespace
}  // namespace t3sim::test
