#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "kernel/gemm_kernel.h"
#include "trace/import/timeline/timeline_kernel.h"
#include "trace/packed.h"
#include "trace/temporary.h"

namespace t3sim {
namespace {

using testing_support::TemporaryFolder;
using testing_support::write_file;

const std::filesystem::path kMeasured = std::filesystem::path(T3SIM_SOURCE_DIR) / "tests/trace/data/h200";
const std::filesystem::path kTimeline = kMeasured / "gemm_timeline.csv.gz";
const std::filesystem::path kCases = kMeasured / "gemm_timeline_cases.csv";

constexpr const char* kColumns = "case,wg,tile_m,tile_n,cu,start_ns,mainloop_end_ns,end_ns\n";

std::vector<Group> groups_of(KernelSource& kernel, std::uint32_t workgroup) {
  std::vector<Group> groups;
  const auto program = kernel.program(workgroup, nullptr);
  for (Group group; program->next(group);) groups.push_back(group);
  return groups;
}

// 2 x 2 tiles on two CUs, K of 2 steps; one CU is slower.
GemmSpec four_tiles() {
  GemmSpec spec;
  spec.shape = {256, 256, 64};
  spec.place(0);
  return spec;
}

Timeline timeline_of_four() {
  return {"four",
          {{0, 0, 7, 0, 1000, 1400},
           {1, 0, 9, 100, 2000, 2400},
           {0, 1, 7, 1500, 2500, 2900},
           {1, 1, 9, 2600, 3600, 4000}}};
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

GemmSpec measured_gemm(const std::string& name) {
  GemmSpec spec = read_timeline_gemm(kCases, name);
  spec.place(0);
  return spec;
}

TEST(Timeline, EveryMeasuredCaseIsRead) {
  const std::vector<std::string> cases = timeline_cases(kTimeline);
  EXPECT_EQ(cases.size(), 12U);
  for (const std::string& name : cases) {
    const Timeline timeline = read_timeline(kTimeline, name);
    EXPECT_EQ(timeline.tiles.size(), measured_gemm(name).c().grid.tiles()) << name;
    EXPECT_EQ(timeline.workgroups_per_cu(), 1U) << name;
  }
}

TEST(Timeline, TheLastStoreOfEveryMeasuredCaseIsAtItsMeasuredEnd) {
  for (const std::string& name : timeline_cases(kTimeline)) {
    const Timeline timeline = read_timeline(kTimeline, name);
    TimelineKernel kernel(measured_gemm(name), timeline, TimelineUse::stores);
    std::uint64_t last_ps = 0;
    for (std::uint32_t i = 0; i < kernel.workgroups(); ++i)
      for (const Group& group : groups_of(kernel, i))
        if (!group.stores.empty()) last_ps = std::max(last_ps, group.not_before_ps);
    EXPECT_EQ(last_ps, timeline.end_ns() * 1000) << name;
  }
}

TEST(Timeline, AReplayStoresWholeTilesAtMeasuredTimesAndLoadsNothing) {
  TimelineKernel kernel(four_tiles(), timeline_of_four(), TimelineUse::stores);
  EXPECT_EQ(kernel.traits().timing, Timing::kernel);
  const std::vector<Group> groups = groups_of(kernel, 2);
  std::uint64_t bytes = 0, previous = 0;
  for (const Group& group : groups) {
    EXPECT_TRUE(group.loads.empty());
    EXPECT_EQ(group.tile, 1U);
    EXPECT_GE(group.not_before_ps, previous);
    previous = group.not_before_ps;
    for (const auto& run : group.stores) {
      bytes += run.bytes;
      EXPECT_GT(group.not_before_ps, 2'500'000U);
    }
  }
  EXPECT_EQ(bytes, 128U * 128 * 2);
  EXPECT_EQ(groups.front().not_before_ps, 1'500'000U);
  EXPECT_EQ(groups.back().not_before_ps, 2'900'000U);
  EXPECT_EQ(groups.back().stores.size(), 1U);  // exactly then, without others to queue behind
}

TEST(Timeline, MeasuredComputeCountsFromTheEndOfThePredecessorOnTheSameCu) {
  TimelineKernel kernel(four_tiles(), timeline_of_four(), TimelineUse::compute);
  EXPECT_EQ(kernel.traits().timing, Timing::workgroup);
  EXPECT_EQ(groups_of(kernel, 0).back().not_before_ps, 1'400'000U);
  EXPECT_EQ(groups_of(kernel, 1).back().not_before_ps,
            2'400'000U);  // the first on its CU: launched 100 ns late
  EXPECT_EQ(groups_of(kernel, 2).back().not_before_ps, 1'500'000U);  // 2900 - 1400
  EXPECT_EQ(groups_of(kernel, 3).back().not_before_ps, 1'600'000U);  // 4000 - 2400
}

TEST(Timeline, MeasuredComputeLoadsWhatTheGemmLoadsStepByStep) {
  TimelineKernel timed(four_tiles(), timeline_of_four(), TimelineUse::compute);
  GemmKernel gemm(four_tiles());
  const std::vector<Group> expected = groups_of(gemm, 0), got = groups_of(timed, 0);
  ASSERT_EQ(got.size(), 2U + 8U + 1U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(got[i].loads == expected[i].loads);
  EXPECT_EQ(got[0].not_before_ps, 500'000U);
  EXPECT_EQ(got[1].not_before_ps, 1'000'000U);
  EXPECT_EQ(got[0].matrix_flops, 0U);
  EXPECT_EQ(got[0].useful_flops, expected[0].useful_flops);
}

TEST(Timeline, ATileWhoseLastWavefrontsAreOutsideStillEndsOnTime) {
  GemmSpec spec;
  spec.shape = {128, 40, 32};
  spec.place(0);
  TimelineKernel kernel(spec, {"edge", {{0, 0, 0, 0, 100, 200}}}, TimelineUse::stores);
  const std::vector<Group> groups = groups_of(kernel, 0);
  EXPECT_FALSE(groups.back().stores.empty());
  EXPECT_EQ(groups.back().not_before_ps, 200'000U);
}

TEST(Timeline, WorkgroupsAreDispatchedInTheOrderOfTheirNumber) {
  TemporaryFolder folder;
  const auto path =
      write_file(folder / "t.csv", std::string(kColumns) + "x,1,0,1,0,0,1,2\nx,0,0,0,0,0,1,2\n");
  const Timeline timeline = read_timeline(path, "");
  EXPECT_EQ(timeline.tiles.at(0).tile_col, 0U);
  EXPECT_EQ(timeline.tiles.at(1).tile_col, 1U);
}

TEST(Timeline, TheMostWorkgroupsOnACuAtATimeAreFound) {
  const Timeline timeline{"x", {{0, 0, 3, 0, 5, 10}, {0, 1, 3, 9, 12, 20}, {0, 2, 3, 20, 25, 30}}};
  EXPECT_EQ(timeline.workgroups_per_cu(), 2U);
}

TEST(Timeline, WhatIsWrongWithAFileIsSaidWithItsPlace) {
  TemporaryFolder folder;
  const auto error = [&](const std::string& text, const std::string& name = "") {
    return error_of([&] { read_timeline(write_file(folder / "t.csv", text), name); });
  };
  EXPECT_NE(error("").find("t.csv: the file is empty"), std::string::npos);
  EXPECT_NE(error("case,wg\nx,0\n").find("there is no column 'tile_m'"), std::string::npos);
  EXPECT_NE(error(std::string(kColumns) + "x,0,0,0\n").find(":2: 4 fields where there are 8 columns"),
            std::string::npos);
  EXPECT_NE(
      error(std::string(kColumns) + "x,0,0,0,0,1,2,three\n").find("end_ns: 'three' is not a whole number"),
      std::string::npos);
  EXPECT_NE(error(std::string(kColumns) + "x,0,0,0,0,9,5,10\n").find("are not in order"), std::string::npos);
  EXPECT_NE(error(std::string(kColumns) + "x,0,0,0,0,1,2,3\ny,0,0,0,0,1,2,3\n").find("name one: x, y"),
            std::string::npos);
  EXPECT_NE(error(std::string(kColumns) + "x,0,0,0,0,1,2,3\n", "z").find("no case 'z'; there are: x"),
            std::string::npos);
}

TEST(Timeline, TilesThatAreNotThoseOfTheGemmAreRefused) {
  const auto error = [](Timeline timeline) {
    return error_of([&] { TimelineKernel(four_tiles(), timeline, TimelineUse::stores); });
  };
  Timeline timeline = timeline_of_four();
  timeline.tiles.pop_back();
  EXPECT_NE(error(timeline).find("has 3 of the 4 tiles"), std::string::npos);
  timeline = timeline_of_four();
  timeline.tiles[3].tile_col = 0;
  EXPECT_NE(error(timeline).find("tile (1, 0) comes twice"), std::string::npos);
  timeline.tiles[3].tile_row = 2;
  EXPECT_NE(error(timeline).find("tile (2, 0) is outside the 2 x 2 tiles"), std::string::npos);
}

}  // namespace
}  // namespace t3sim
