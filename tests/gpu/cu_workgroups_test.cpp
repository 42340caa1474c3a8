// When a CU begins workgroups, how long they take, and what its matrix unit did meanwhile.
#include <gtest/gtest.h>

#include "gpu/cu_fixture.h"

namespace t3sim::test {
namespace {

TEST(ADelay, IsNotSharedByTheWorkgroupsOfACu) {
  OneCu cu;
  Group delayed;
  delayed.tile = 0;
  delayed.delay_cycles = 1000;
  ListedKernel kernel(cu.scheduler, {{delayed}, {delayed}, {computes(700)}});
  cu.run(kernel, 3);
  EXPECT_NEAR(static_cast<double>(cu.kernel->times()[0].retired), 1000, 3);  // they start a cycle apart
  EXPECT_NEAR(static_cast<double>(cu.kernel->times()[1].retired), 1000, 3);
  EXPECT_NEAR(static_cast<double>(cu.kernel->times()[2].retired), 700, 3);
}

TEST(ADelay, RunsWhileTheGroupComputes) {
  OneCu cu;
  Group both = computes(600);
  both.delay_cycles = 1000;
  Group longer = computes(1500);
  longer.delay_cycles = 1000;
  ListedKernel kernel(cu.scheduler, {{both, longer}});
  cu.run(kernel, 1);
  EXPECT_EQ(cu.kernel->last_retired(), 1000U + 1500U);
}

TEST(ComputeUnit, TakesAWorkgroupWhenOneHasRetired) {
  OneCu cu;
  ListedKernel kernel(cu.scheduler, {{computes(100)}, {computes(100)}, {computes(100)}});
  cu.run(kernel, 1);
  ASSERT_EQ(kernel.asked.size(), 6U);
  EXPECT_EQ(kernel.asked[2].workgroup, 1U);
  EXPECT_EQ(kernel.asked[2].at, 100U);
  EXPECT_EQ(kernel.asked[4].at, 200U);
}

// One workgroup a cycle is dispatched, and every CU gets its first before any gets a second.
TEST(ComputeUnit, BeginsItsSecondWorkgroupWhenAllCusHaveHadTheirFirst) {
  GpuConfig config = OneCu::small_gpu();
  config.cus = 80;
  OneCu cu(config);
  ListedKernel kernel(cu.scheduler, {{computes(1000)}, {computes(1000)}, {computes(1000)}});
  cu.run(kernel, 3);
  EXPECT_EQ(kernel.begun(), (std::map<std::uint32_t, Tick>{{0, 0}, {1, 80}, {2, 160}}));
}

// When the last of three workgroups, each measured to take 300 ns, is through.
Tick end_of_measured(Timing timing) {
  OneCu cu;
  Group measured;
  measured.not_before_ps = 300'000;
  ListedKernel kernel(cu.scheduler, {{measured}, {measured}, {measured}});
  kernel.timing = timing;
  cu.run(kernel);
  return cu.kernel->last_retired();
}

TEST(ComputeUnit, CountsAMeasuredTimeFromTheStartOfItsWorkgroup) {
  EXPECT_EQ(end_of_measured(Timing::workgroup), 900U);
}

TEST(ComputeUnit, CountsAMeasuredTimelineFromTheStartOfTheKernel) {
  EXPECT_EQ(end_of_measured(Timing::kernel), 300U);
}

TEST(ComputeUnit, HasMatrixTimePartsThatAddUpToTheKernelsTime) {
  OneCu cu;
  std::vector<std::vector<Group>> workgroups;
  for (std::uint32_t w = 0; w < 7; ++w) {
    std::vector<Group> groups;
    for (std::uint32_t i = 0; i < 5; ++i) {
      Group group = computes(40 + 13 * w);
      group.useful_flops -= 3000;
      group.loads = {run_of((w * 5 + i) * 512, 300)};
      groups.push_back(group);
    }
    groups.back().stores = {run_of(1 << 20 | w * 1024, 1024)};
    workgroups.push_back(groups);
  }
  ListedKernel kernel(cu.scheduler, workgroups, 2);
  cu.run(kernel, 2);
  const Tick end = cu.scheduler.now() + 100;
  cu.cu->finish(cu.kernel->last_retired(), PlaceWait::memory, end);
  const MatrixTime& time = cu.cu->matrix_time();
  EXPECT_EQ(time.total(), end);
  EXPECT_EQ(time.padding, 7 * 5 * 3U);
  EXPECT_EQ(time.useful + time.padding, 5U * (7 * 40 + 13 * 21));
  EXPECT_GT(time.idle[static_cast<std::size_t>(IdleCause::prologue)], 0U);
  EXPECT_GE(time.idle[static_cast<std::size_t>(IdleCause::output_write)], 100U);
}

// Of two places on a CU, from when on has the second one a workgroup?
Tick second_dispatched(Dispatch dispatch) {
  GpuConfig config = OneCu::small_gpu();
  config.cus = 80;
  config.dispatch = dispatch;
  OneCu cu(config);
  ListedKernel kernel(cu.scheduler, {{computes(1000)}, {computes(1000)}});
  cu.run(kernel, 2);
  return cu.kernel->times()[1].dispatched;
}

TEST(ComputeUnit, StartsItsSecondWorkgroupWhenAllCusHaveOneOrACycleLater) {
  EXPECT_EQ(second_dispatched(Dispatch::gpu), 80U);
  EXPECT_EQ(second_dispatched(Dispatch::cu), 1U);
}

TEST(KernelRun, BeginsOnceWithItsFirstWorkgroup) {
  OneCu cu;
  ListedKernel kernel(cu.scheduler, {{computes(10)}, {computes(10)}, {computes(10)}});
  KernelRun::Setup setup;
  setup.source = &kernel;
  KernelRun run(setup);
  std::vector<Tick> starts;
  run.on_start = [&](Tick now) { starts.push_back(now); };
  for (const Tick at : {10, 20, 30}) run.take(at);
  EXPECT_EQ(starts, std::vector<Tick>{10});
}

}  // namespace
}  // namespace t3sim::test
