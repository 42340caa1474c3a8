// Measured rows by the machine: which are chosen, what they are held against, at which clock a GEMM runs.
#include <gtest/gtest.h>

#include <atomic>

#include "base/error.h"
#include "machine/power.h"
#include "validation/measured/estimate/gemm_model.h"
#include "validation/measured/goals.h"
#include "validation/measured/in_parallel.h"
#include "validation/measured/simulated/gemm_runs.h"
#include "validation/measured/validation.h"

namespace t3sim {
namespace {

MeasuredMachine four_h200() {
  return load_machine(std::string(T3SIM_SOURCE_DIR) + "/configs/systems/h200-x4.yaml", {});
}

// One wave, short.
LibraryGemm short_wave() {
  GemmTrafficRow row;
  row.shape = {2048, 2048, 256};
  row.layout = "TT";
  row.kernel = "nvjet_sm90_hsh_256x128_64x4_1x2_h_bz_coopA_NNT";
  row.tile_m = 128;
  row.tile_n = 256;
  row.tile_k = 64;
  row.grid = 128;
  return *kernel_of(row);
}

TEST(RowsInParallel, AreAllDoneOnceOnAnyNumberOfThreads) {
  for (const std::size_t n : {0U, 1U, 2U, 5U, 12U})
    for (const unsigned jobs : {0U, 1U, 2U, 3U, 7U}) {
      std::vector<std::atomic<int>> done(n);
      in_parallel(n, jobs, [&](std::size_t i) { ++done[i]; });
      for (std::size_t i = 0; i < n; ++i)
        EXPECT_EQ(done[i], 1) << i << " of " << n << ", " << jobs << " jobs";
    }
}

TEST(RowsInParallel, EndWithTheErrorOfOne) {
  EXPECT_THROW(in_parallel(6, 2,
                           [](std::size_t i) {
                             if (i == 4) throw InputError("row 4");
                           }),
               InputError);
}

// The clock that the time found needs is the clock at which the kernel takes that time.
TEST(TheClockOfARepeatedGemm, IsTheOneThatItsPowerAllowsAtItsPace) {
  MeasuredMachine m = four_h200();
  m.config.execution.power.matrix_share = 10;
  MachineRuns runs("");
  const MachineRunResult settled = gemm_in_series(m, short_wave(), {}, runs);
  const double share =
      clock_share(m.config.execution.power, {matrix_busy(m, short_wave(), settled.seconds), 0});
  ASSERT_LT(share, 0.9);
  MeasuredMachine lowered = m;
  lowered.config.gpu.clock_hz = stepped_clock(m.config.gpu.clock_hz, share);
  EXPECT_EQ(settled.clock_hz, lowered.config.gpu.clock_hz);
  EXPECT_NEAR(gemm_traffic_run(lowered, short_wave(), runs).seconds / settled.seconds, 1, 0.01);
  EXPECT_EQ(runs.cost().simulated, 3U);  // two of them to find it
  EXPECT_LT(gemm_in_series(m, short_wave(), {.pause_s = 20e-6}, runs).seconds, settled.seconds);
  EXPECT_EQ(runs.cost().simulated, 3U);  // a pause needs no run of its own
}

MeasuredCase gemm_time(std::uint32_t k, const std::string& gpu, std::uint64_t line = 1) {
  MeasuredCase c;
  c.kind = CaseKind::gemm_time;
  c.kernel.shape = {4096, 4096, k};
  c.id = std::to_string(line);
  GemmTimeRow row;
  row.place = {"gemm.csv", line, ""};
  c.machine = gpu;
  c.row = row;
  return c;
}

std::vector<std::string> goals_of(const MeasuredCase& c) {
  std::vector<std::string> names;
  for (const Goal& goal : goals())
    if (goal.covers(c)) names.push_back(goal.name);
  return names;
}

TEST(Goals, AreTheKindsAndOfSomeRowsFurtherOnes) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(goals_of(gemm_time(2048, "NVIDIA H200")), Names{"gemm_time"});
  EXPECT_EQ(goals_of(gemm_time(1536, "NVIDIA H200")), (Names{"gemm_time", "gemm_time K <= 1536"}));
  EXPECT_EQ(goals_of(gemm_time(1536, "NVIDIA H100")), Names{"gemm_time H100"});
}

// Rows 1 to 100; each tenth costs too much.
TEST(APartOfTheRows, HasNoneThatCostsTooMuchAndSaysHowManyThoseAre) {
  std::vector<MeasuredCase> cases;
  for (std::uint64_t line = 1; line <= 100; ++line) cases.push_back(gemm_time(64, "", line));
  const auto cost = [](const MeasuredCase& c) {
    return c.place().line % 10 == 0 ? kMostCostS + 1 : kMostCostS;
  };
  EXPECT_EQ(keep_part(cases, 30, cost), 10U);
  EXPECT_EQ(cases.size(), 30U);
  for (const MeasuredCase& c : cases) EXPECT_NE(c.place().line % 10, 0U);
}

}  // namespace
}  // namespace t3sim
