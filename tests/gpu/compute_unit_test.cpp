#include "gpu/compute_unit.h"

#include <gtest/gtest.h>

#include "gpu/arrival_board.h"
#include "gpu/cu_fixture.h"

namespace t3sim::test {
namespace {

constexpr Tick kL1 = 28, kNoc = 20, kL2 = 120;

// How long each group of workgroup 0 took, with one buffer: from when it was asked for to when the next one
// was.
std::vector<Tick> durations(const ListedKernel& kernel) {
  std::vector<Tick> out;
  for (std::size_t i = 1; i < kernel.asked.size(); ++i)
    out.push_back(kernel.asked[i].at - kernel.asked[i - 1].at);
  return out;
}

TEST(ComputeUnit, SeesALoadThatHitsInL2AfterNetworkPortAndL2Latency) {
  OneCu cu;
  const Group sector = loads({run_of(0, 32)});
  ListedKernel kernel(cu.scheduler, {{sector, sector}});
  cu.run(kernel);
  // Issued in the next cycle; 1 cycle on the L2's port.
  EXPECT_EQ(durations(kernel).at(1), 1 + kNoc + 1 + kL2 + kNoc);
}

TEST(ComputeUnit, SeesALoadThatHitsInL1AfterTheL1Latency) {
  OneCu cu;
  const Group line = loads({run_of(0, 128)});
  ListedKernel kernel(cu.scheduler, {{line, line}});
  cu.run(kernel, 1, true);
  EXPECT_EQ(durations(kernel).at(1), 1 + kL1);
  EXPECT_EQ(cu.cu->stats().l1_hit_sectors, 4U);
}

TEST(ComputeUnit, DoesNotUseTheL1ForAKernelThatBypassesIt) {
  OneCu cu;
  const Group line = loads({run_of(0, 128)});
  ListedKernel kernel(cu.scheduler, {{line, line}});
  cu.run(kernel, 1, false);
  EXPECT_EQ(cu.cu->stats().l1_hit_sectors, 0U);
  EXPECT_EQ(cu.cu->stats().load_sectors, 8U);
}

TEST(ComputeUnit, AsksTheL2ForALineOfWhichTheL1HasOtherSectors) {
  OneCu cu;
  ListedKernel kernel(cu.scheduler, {{loads({run_of(0, 32)}), loads({run_of(0, 64)})}});
  cu.run(kernel, 1, true);
  EXPECT_EQ(cu.cu->stats().l1_hit_sectors, 0U);
  EXPECT_EQ(cu.slices[cu.map.channel(0)]->stats().read_requests, 2U);
}

// A workgroup must not get data from the L1 before it has arrived there.
TEST(ComputeUnit, HasALineInTheL1OnlyOnceItHasArrived) {
  OneCu cu;
  ListedKernel kernel(cu.scheduler, {{loads({run_of(0, 128)})}, {computes(160), loads({run_of(0, 128)})}});
  cu.run(kernel, 2, true);
  Tick first_done = 0, second_done = 0;
  for (const auto& asked : kernel.asked) (asked.workgroup == 0 ? first_done : second_done) = asked.at;
  EXPECT_GE(second_done, first_done);
}

TEST(ComputeUnit, IssuesOneAccessACycle) {
  OneCu cu;
  std::vector<t3sim::Run> lines;
  for (std::uint32_t i = 0; i < 10; ++i) lines.push_back(run_of(i * 128, 32));
  ListedKernel kernel(cu.scheduler, {{loads(lines), loads(lines)}});
  cu.run(kernel, 1, true);
  EXPECT_EQ(cu.cu->stats().l1_hit_sectors, 10U);
  EXPECT_EQ(durations(kernel).at(1), 1 + 9 + kL1);
}

TEST(ComputeUnit, IssuesFromItsWorkgroupsInTurn) {
  OneCu cu;
  std::vector<t3sim::Run> low, high;
  for (unsigned i = 0; i < 20; ++i) {
    low.push_back(run_of(cu.address_in(i % 2, i), 32));
    high.push_back(run_of(cu.address_in(i % 2, 1000 + i), 32));
  }
  ListedKernel kernel(cu.scheduler, {{loads(low)}, {loads(high)}});
  cu.run(kernel, 2);
  ASSERT_EQ(cu.entered.size(), 40U);
  int from_first = 0;
  for (std::size_t i = 0; i < 20; ++i) from_first += cu.entered[i].request.address < 500 * kLineBytes;
  EXPECT_NEAR(from_first, 10, 2);
}

TEST(ComputeUnit, SplitsARunIntoLinesWithTheirSectors) {
  OneCu cu;
  ListedKernel kernel(cu.scheduler, {{loads({run_of(96, 32 + 128 + 64)})}});
  cu.run(kernel);
  ASSERT_EQ(cu.cu->stats().load_lines, 3U);
  EXPECT_EQ(cu.cu->stats().load_sectors, 7U);
  std::vector<unsigned> sectors(3);
  for (const auto& r : cu.entered) sectors.at(r.request.address / 128) = r.request.sectors;
  EXPECT_EQ(sectors, (std::vector<unsigned>{0b1000, 0b1111, 0b0011}));
}

TEST(ComputeUnit, KeepsNoMoreLoadsInFlightThanItMay) {
  GpuConfig config = OneCu::small_gpu();
  config.loads_in_flight = 1;
  OneCu cu(config);
  const Group two = loads({run_of(0, 32), run_of(32, 32), run_of(64, 32)});
  ListedKernel kernel(cu.scheduler, {{two, two}});
  cu.run(kernel);
  EXPECT_EQ(durations(kernel).at(1), 1 + 3 * (kNoc + 1 + kL2 + kNoc));  // one after the other
}

TEST(ComputeUnit, BooksAllTheTimeThatItWaitsForLoadsInFlight) {
  GpuConfig config = OneCu::small_gpu();
  config.loads_in_flight = 1;
  OneCu cu(config);
  std::vector<Group> busy;  // the other workgroup wakes the CU all the time
  for (int i = 0; i < 200; ++i) busy.push_back(computes(3));
  ListedKernel kernel(cu.scheduler, {{loads({run_of(0, 32), run_of(256, 32), run_of(512, 32)})}, busy});
  cu.run(kernel, 2);
  Tick first_done = 0;
  for (const auto& asked : kernel.asked)
    if (asked.workgroup == 0) first_done = asked.at;
  // Of the three loads' time, two thirds are spent waiting for a place.
  EXPECT_GT(cu.cu->stats().wait_in_flight, first_done / 2);
}

// The second workgroup finds its data in the L2; of its ten round trips all but the first hide behind
// compute.
TEST(ComputeUnit, ComputesOneGroupWhileItLoadsTheNextWithTwoBuffers) {
  for (unsigned buffers : {1U, 2U}) {
    OneCu cu;
    std::vector<Group> groups;
    for (std::uint32_t i = 0; i < 10; ++i) {
      Group group = computes(500);
      group.loads = {run_of(0, 32)};
      groups.push_back(group);
    }
    ListedKernel kernel(cu.scheduler, {{loads({run_of(0, 32)})}, groups}, buffers);
    cu.run(kernel);
    Tick started = 0;
    for (const auto& asked : kernel.asked)
      if (asked.workgroup == 1 && started == 0) started = asked.at;
    const Tick round_trip = 1 + kNoc + 1 + kL2 + kNoc;
    EXPECT_EQ(cu.kernel->last_retired() - started, 10 * 500 + (buffers == 1 ? 10 : 1) * round_trip);
  }
}

// cuBLAS's tiles of 64 x 64: a reply has to find the 17th group in flight.
TEST(ComputeUnit, TellsThirteenBuffersAndFourPiecesOfAnEpilogueApart) {
  OneCu cu;
  std::vector<Group> groups;
  for (std::uint32_t i = 0; i < 40; ++i) groups.push_back(loads({run_of(i * 128, 128)}));
  ListedKernel kernel(cu.scheduler, {groups, groups}, 13);
  kernel.epilogue = 4;
  cu.run(kernel, 2);
  EXPECT_TRUE(cu.kernel->ended());
  EXPECT_EQ(kernel.asked.size(), 2 * (groups.size() + 1));
}

TEST(ComputeUnit, RefusesMoreGroupsInFlightThanItCanTellApart) {
  OneCu cu;
  ListedKernel kernel(cu.scheduler, {{loads({run_of(0, 128)})}}, 29);
  kernel.epilogue = 4;
  EXPECT_THROW(cu.run(kernel), InputError);
}

TEST(ComputeUnit, IsBoundByLoadsWhenTheyTakeLongerThanCompute) {
  OneCu cu;
  std::vector<Group> groups(1, loads({run_of(0, 32)}));
  for (std::uint32_t i = 0; i < 10; ++i) {
    Group group = computes(10);
    group.loads = {run_of(0, 32)};
    groups.push_back(group);
  }
  ListedKernel kernel(cu.scheduler, {groups}, 2);
  cu.run(kernel);
  // Two loads are under way at a time: every round trip lets two groups compute.
  EXPECT_LT(cu.kernel->last_retired(), 8U * (162 + 10) + 300);
  EXPECT_GT(cu.kernel->last_retired(), 5U * 162);
}

TEST(ComputeUnit, ComputesGroupsOfAWorkgroupInOrder) {
  OneCu cu;
  Group slow = computes(10);
  slow.loads = {run_of(0, 128)};  // from DRAM
  ListedKernel kernel(cu.scheduler, {{slow, computes(10), stores({run_of(4096, 32)})}}, 4);
  cu.run(kernel);
  ASSERT_EQ(cu.accepted.size(), 1U);
  EXPECT_GT(cu.accepted[0].at, cu.entered.at(0).at + 100 + kL2);
}

TEST(ComputeUnit, SharesItsMatrixUnitBetweenItsWorkgroups) {
  OneCu cu;
  ListedKernel kernel(cu.scheduler, {{computes(1000)}, {computes(1000)}});
  cu.run(kernel, 2);
  EXPECT_EQ(cu.kernel->last_retired(), 2000U);
  cu.cu->finish(2000, PlaceWait::memory, 2000);
  EXPECT_EQ(cu.cu->matrix_time().useful, 2000U);
  EXPECT_EQ(cu.cu->matrix_time().total(), 2000U);
}

TEST(ComputeUnit, IsInTheProloguesOfAllWorkgroupsUntilTheirFirstLoadsAreThere) {
  const auto prologue = [](std::size_t workgroups) {
    OneCu cu;
    Group step = computes(50);
    step.loads = {run_of(0, 32)};
    ListedKernel kernel(cu.scheduler, std::vector<std::vector<Group>>(workgroups, {step, step}));
    cu.run(kernel);
    cu.cu->finish(cu.kernel->last_retired(), PlaceWait::memory, cu.kernel->last_retired());
    return cu.cu->matrix_time().idle[static_cast<std::size_t>(IdleCause::prologue)];
  };
  EXPECT_EQ(prologue(3) - prologue(1), 2 * (1 + kNoc + 1 + kL2 + kNoc));
}

TEST(ComputeUnit, WaitsWhileTheSliceOfItsNextAccessIsFullAndLosesNothing) {
  L2Config l2 = OneCu::small_l2();
  l2.input_queue = 1;
  OneCu cu(OneCu::small_gpu(), l2);
  std::vector<t3sim::Run> lines;
  for (std::uint32_t i = 0; i < 50; ++i) lines.push_back(run_of(i * 128, 128));
  ListedKernel kernel(cu.scheduler, {{loads(lines)}, {loads(lines)}});
  cu.run(kernel, 2);
  EXPECT_TRUE(cu.kernel->ended());
  EXPECT_TRUE(cu.cu->idle());
  EXPECT_GT(cu.cu->stats().wait_network, 0U);
  EXPECT_EQ(cu.slices[0]->stats().read_requests + cu.slices[1]->stats().read_requests, 100U);
}

TEST(ComputeUnit, AsksOverACrossbarForEachSectorOfALineInACycleOfItsOwn) {
  const auto hit = [](const GpuConfig& config, std::uint32_t bytes) {
    OneCu cu(config);
    const Group line = loads({run_of(0, bytes)});
    ListedKernel kernel(cu.scheduler, {{line, line}});
    cu.run(kernel);
    return durations(kernel).at(1);
  };
  EXPECT_EQ(hit(with_crossbar(), 32), hit(OneCu::small_gpu(), 32));
  EXPECT_EQ(hit(with_crossbar(), 128), hit(OneCu::small_gpu(), 128) + 3);
}

// Another CU's access is on its way into the first load's slice: the second load, for the other slice, waits behind.
TEST(ComputeUnit, HoldsUpWhatIsBehindAnAccessWhoseSliceIsTaken) {
  const auto last_asked = [](const GpuConfig& config) {
    OneCu cu(config);
    ListedKernel kernel(cu.scheduler,
                        {{loads({run_of(cu.address_in(0, 0), 32), run_of(cu.address_in(1, 0), 32)})}});
    EXPECT_EQ(cu.slices[0]->enter(100, 0), 0U);
    EXPECT_EQ(cu.slices[0]->enter(2, 0), 100U);
    cu.run(kernel);
    Tick at = kNever;  // when the memory is asked for what the second slice misses
    for (const auto& entered : cu.entered)
      if (cu.map.channel(entered.request.address) == 1) at = entered.at;
    return at;
  };
  EXPECT_EQ(last_asked(with_crossbar()), last_asked(OneCu::small_gpu()) + 101);
}

// A kernel's flags: a group that waits and loads nothing.
TEST(ComputeUnit, DoesNotPassAGroupThatWaitsBeforeItsDataHaveArrived) {
  for (const std::uint64_t cycles : {0U, 10U}) {
    OneCu cu;
    Group wait = computes(cycles);
    wait.wait = true;
    ListedKernel kernel(cu.scheduler, {{wait, computes(1)}}, 2);
    ArrivalBoard board(1, 1, CollectiveSync::tile);
    board.expect(0, 0, 1);
    cu.run(kernel, 1, false, &board);
    EXPECT_EQ(kernel.asked.size(), 1U);
    board.count(0, 0, 1, 500);
    cu.scheduler.run();
    EXPECT_GE(kernel.asked.at(1).at, 500U);
    EXPECT_TRUE(cu.kernel->all_retired());
  }
}

// What it asks for is an address; the data takes the way back.
TEST(ComputeUnit, SendsALoadACycleHoweverMuchItAsksFor) {
  GpuConfig config = OneCu::small_gpu();
  config.noc_bytes_per_cycle = 8;
  OneCu cu(config);
  std::vector<t3sim::Run> lines;
  for (unsigned i = 0; i < 4; ++i) lines.push_back(run_of(cu.address_in(0, i), 128));
  ListedKernel kernel(cu.scheduler, {{loads(lines)}});
  cu.run(kernel);
  ASSERT_EQ(cu.entered.size(), 4U);
  EXPECT_EQ(cu.entered[3].at - cu.entered[0].at, 3U);
}

TEST(ComputeUnit, LeavesStreamingLoadsOutOfTheL1) {
  OneCu cu;
  t3sim::Run streaming = run_of(0, 128);
  streaming.streaming = true;
  ListedKernel kernel(cu.scheduler, {{loads({streaming}), loads({run_of(0, 128)})}});
  cu.run(kernel, 1, true);
  EXPECT_EQ(cu.cu->stats().l1_hit_sectors, 0U);
}

}  // namespace
}  // namespace t3sim::test
