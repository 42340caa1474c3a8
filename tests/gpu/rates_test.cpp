// Rates of the small parts around a CU, each where it alone decides.
#include <gtest/gtest.h>

#include "gpu/cu_fixture.h"

namespace t3sim::test {
namespace {

constexpr std::uint32_t kLines = 200;

std::vector<Run> lines(std::uint32_t count, std::uint32_t bytes = 128) {
  std::vector<Run> runs;
  for (std::uint32_t i = 0; i < count; ++i) runs.push_back(run_of(std::uint64_t{i} * kLineBytes, bytes));
  return runs;
}

// Ticks from the request of the second group to that of the third: both load the same, the second from the L2.
Tick second_load(const GpuConfig& gpu, const L2Config& l2, std::uint32_t bytes) {
  OneCu cu(gpu, l2);
  ListedKernel kernel(cu.scheduler, {{loads(lines(kLines, bytes)), loads(lines(kLines, bytes))}});
  cu.run(kernel);
  return kernel.asked.at(2).at - kernel.asked.at(1).at;
}

// One access a cycle, two slices of 128 B a cycle: what comes back is all that counts.
TEST(ReplyPort, BringsSoManyBytesACycle) {
  L2Config l2 = OneCu::small_l2();
  l2.bytes_per_cycle = 128;
  GpuConfig gpu = OneCu::small_gpu();
  for (const std::uint64_t width : {8U, 16U, 32U, 64U}) {
    gpu.noc_bytes_per_cycle = width;
    const Tick transfer = kLines * (128 / width);
    EXPECT_GE(second_load(gpu, l2, 128), transfer) << width;
    EXPECT_LE(second_load(gpu, l2, 128), transfer + 220) << width;  // and one way there and back
  }
}

TEST(ReplyPort, TakesAWholeFlitForASectorOfLess) {
  L2Config l2 = OneCu::small_l2();
  l2.bytes_per_cycle = 128;
  GpuConfig gpu = OneCu::small_gpu();
  gpu.noc_bytes_per_cycle = 64;
  EXPECT_GE(second_load(gpu, l2, 32), kLines);  // not half a cycle each
}

TEST(L2Ports, DeliverSoManyBytesACycleEach) {
  GpuConfig gpu = OneCu::small_gpu();
  gpu.noc_bytes_per_cycle = 128;
  L2Config l2 = OneCu::small_l2();
  for (const std::uint64_t width : {8U, 16U, 32U}) {
    l2.bytes_per_cycle = width;
    const Tick transfer = kLines / 2 * (128 / width);  // two slices
    EXPECT_GE(second_load(gpu, l2, 128), transfer) << width;
    EXPECT_LE(second_load(gpu, l2, 128), transfer + transfer / 5 + 220) << width;  // not quite equal shares
  }
}

Tick between_first_and_last_store(const GpuConfig& gpu) {
  OneCu cu(gpu);
  ListedKernel kernel(cu.scheduler, {{stores(lines(kLines))}});
  cu.run(kernel);
  return cu.accepted.back().at - cu.accepted.front().at;
}

TEST(StoresOfACu, LeaveAtTheirOwnWidthWhereTheyHaveOne) {
  GpuConfig gpu = OneCu::small_gpu();
  gpu.noc_bytes_per_cycle = 64;
  EXPECT_LT(between_first_and_last_store(gpu), (kLines - 1) * 3);
  const Tick loads_alone = second_load(gpu, OneCu::small_l2(), 128);
  for (const std::uint64_t width : {16U, 32U}) {
    gpu.store_bytes_per_cycle = width;
    EXPECT_EQ(between_first_and_last_store(gpu), (kLines - 1) * (128 / width)) << width;
    EXPECT_EQ(second_load(gpu, OneCu::small_l2(), 128), loads_alone) << width;
  }
}

// Ticks from the first to the last of kLines stores over the link.
Tick between_remote_stores(const GpuConfig& gpu) {
  OneCu cu(gpu, OneCu::small_l2(), kLines);
  ListedKernel kernel(cu.scheduler, {{stores(lines(kLines))}});
  kernel.to.remote = true;
  cu.run(kernel);
  return cu.link.arrived.back().ready - cu.link.arrived.front().ready;
}

TEST(StoresOfACu, TakeAHeaderBesideTheirDataWhereTheyGoOverALink) {
  GpuConfig gpu = OneCu::small_gpu();
  gpu.store_bytes_per_cycle = 32;
  EXPECT_EQ(between_remote_stores(gpu), (kLines - 1) * 4);
  gpu.remote_store_header = 32;
  EXPECT_EQ(between_remote_stores(gpu), (kLines - 1) * 5);
  EXPECT_EQ(between_first_and_last_store(gpu), (kLines - 1) * 4);  // into the own L2
}

// Workgroups of a CU share its matrix unit, whoever came first.
TEST(MatrixUnitOfACu, ServesThreeWorkgroupsInThreeTimesTheTimeOfOne) {
  for (const unsigned together : {1U, 3U}) {
    OneCu cu;
    ListedKernel kernel(cu.scheduler, {{computes(1000)}, {computes(1000)}, {computes(1000)}});
    cu.run(kernel, together);
    EXPECT_NEAR(static_cast<double>(cu.kernel->last_retired()), 3000, 1) << together;  // shares are rounded
  }
}

// K steps in LDS: with b buffers the loads of b steps are under way at a time.
TEST(Buffers, LetSoManyStepsLoadAtATime) {
  for (const unsigned buffers : {1U, 2U, 3U, 4U}) {
    OneCu cu;
    std::vector<Group> groups;
    for (std::uint32_t i = 0; i < 40; ++i) groups.push_back(loads({run_of(0, 32)}));
    ListedKernel kernel(cu.scheduler, {{loads({run_of(0, 32)})}, groups}, buffers);
    cu.run(kernel);
    Tick started = 0;
    for (const auto& asked : kernel.asked)
      if (asked.workgroup == 1 && started == 0) started = asked.at;
    const double round_trips = static_cast<double>(cu.kernel->last_retired() - started) / 162;
    EXPECT_NEAR(round_trips, 40.0 / buffers, 0.1 * 40 / buffers) << buffers;
  }
}

}  // namespace
}  // namespace t3sim::test
