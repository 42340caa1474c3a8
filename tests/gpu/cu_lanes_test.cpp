// What leaves a CU when one of its lanes waits, and whose turn it is then.
#include <algorithm>

#include "gpu/cu_fixture.h"

namespace t3sim::test {
namespace {

TEST(ComputeUnit, HoldsUpStoresButNotLoadsBehindAStoreThatTheLinkDoesNotTake) {
  OneCu cu(OneCu::small_gpu(), OneCu::small_l2(), 1);
  Group after = loads({run_of(0, 32)});
  ListedKernel kernel(cu.scheduler, {{stores({run_of(0, 256)})}, {computes(100), after}});
  kernel.to.remote = true;
  cu.scheduler.wake(cu.link, 1000);  // when the link has room again
  cu.run(kernel, 2);
  ASSERT_EQ(cu.link.arrived.size(), 2U);
  EXPECT_GT(cu.link.arrived[1].ready, 1000U);
  EXPECT_LT(cu.entered.at(0).at, 500U);
  EXPECT_NEAR(static_cast<double>(cu.cu->stats().wait_network), 1000, 10);
}

TEST(ComputeUnit, HoldsUpLoadsTooWhereTheyShareALaneWithStores) {
  GpuConfig config = OneCu::small_gpu();
  config.shared_lane = true;
  OneCu cu(config, OneCu::small_l2(), 1);
  ListedKernel kernel(cu.scheduler, {{stores({run_of(0, 256)})}, {computes(100), loads({run_of(0, 32)})}});
  kernel.to.remote = true;
  cu.scheduler.wake(cu.link, 1000);  // when the link has room again
  cu.run(kernel, 2);
  EXPECT_EQ(cu.link.arrived.size(), 2U);
  EXPECT_GT(cu.entered.at(0).at, 1000U);
}

TEST(ComputeUnit, KeepsALocalRunOfAGroupThatGoesOverTheLink) {
  OneCu cu;
  t3sim::Run local = run_of(0, 128);
  local.local = true;
  ListedKernel kernel(cu.scheduler, {{stores({local, run_of(1024, 128)})}});
  kernel.to.remote = true;
  kernel.to.gpu = 1;
  cu.run(kernel);
  ASSERT_EQ(cu.link.arrived.size(), 1U);
  EXPECT_EQ(cu.link.arrived[0].request.address, 1024U);
  ASSERT_EQ(cu.accepted.size(), 1U);
  EXPECT_EQ(cu.accepted[0].request.address, 0U);
}

Run local_run(std::uint64_t address, std::uint32_t bytes) {
  Run run = run_of(address, bytes);
  run.local = true;
  return run;
}

// The link takes a store every 20 cycles. In between the other workgroup's stores into the own L2 could all leave; they wait
// for those that the link holds up, but each of these is followed by one of theirs: that one workgroup's stores wait does not
// give it the next turn, too.
TEST(ComputeUnit, AlternatesBetweenStoresThatTheLinkHoldsUpAndOthers) {
  constexpr std::uint32_t kStores = 40;
  OneCu cu(OneCu::small_gpu(), OneCu::small_l2(), 1);
  ListedKernel kernel(cu.scheduler, {{stores({run_of(0, kStores * kLineBytes)})},
                                     {stores({local_run(std::uint64_t{1} << 20, kStores * kLineBytes)})}});
  kernel.to.remote = true;
  cu.link.opens_every(cu.scheduler, 20);
  cu.run(kernel, 2);
  ASSERT_EQ(cu.link.arrived.size(), kStores);
  ASSERT_EQ(cu.accepted.size(), kStores);
  const Tick half = cu.link.arrived[kStores / 2].ready;
  const auto kept = std::ranges::count_if(cu.accepted, [&](const auto& r) { return r.at < half; });
  EXPECT_NEAR(static_cast<double>(kept), kStores / 2, 3);
}

}  // namespace
}  // namespace t3sim::test
