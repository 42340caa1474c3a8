#include "kernel/run_set.h"

#include <gtest/gtest.h>

namespace t3sim {
namespace {

using Runs = std::vector<Run>;  // a test has a Run of its own

Runs runs_at(std::initializer_list<std::uint64_t> addresses) {
  Runs runs;
  for (const std::uint64_t address : addresses) runs.push_back({address, 64});
  return runs;
}

Runs runs_of(const RunSet& set) {
  Runs runs;
  set.append_to(runs);
  return runs;
}

TEST(RunSet, EndsWhereTheDistanceChanges) {
  const RunSet set = RunSet::leading(runs_at({0, 128, 256, 512}));
  EXPECT_EQ(set.count, 3U);
  EXPECT_EQ(set.stride, 128);
}

TEST(RunSet, EndsWhereRunsAreNotAlike) {
  Runs runs = runs_at({0, 128, 256});
  runs[2].bytes = 32;
  EXPECT_EQ(RunSet::leading(runs).count, 2U);
  runs[1].streaming = true;
  EXPECT_EQ(RunSet::leading(runs).count, 1U);
}

TEST(RunSet, GivesItsRunsBackWavefrontByWavefront) {
  Runs runs = runs_at({1024, 512, 0, 128});  // the last one is not in the series
  runs[2].wavefront = 1;
  runs[3].wavefront = 1;
  const RunSet set = RunSet::leading(runs);
  EXPECT_EQ(set.share, 2U);
  EXPECT_EQ(runs_of(set), (Runs(runs.begin(), runs.begin() + 3)));
}

}  // namespace
}  // namespace t3sim
