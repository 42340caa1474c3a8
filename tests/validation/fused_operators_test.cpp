// t3sim validate fused-operators: its runs on their machines, and its findings from times that are made up.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "runtime/load_program.h"
#include "validation/fused_operators/validation.h"

namespace t3sim::fused_operators {
namespace {

std::vector<Measure> all_measures() {
  std::vector<Measure> all;
  for (const int figure : kFigures) std::ranges::copy(measures_of(figure, {}), std::back_inserter(all));
  return all;
}

TEST(TheFusedOperatorsEvaluation, HasProgramsThatItsMachinesCanRun) {
  std::set<std::string> seen;  // one of each program and machine
  for (Measure m : all_measures()) {
    if (!seen.insert(m.machine + m.program).second) continue;
    if (m.parameters.contains("batch")) m.parameters["batch"] = 128;
    m.parameters.erase("workgroups");
    EXPECT_NO_THROW(load_program(configure(m, m.tables == 0 ? 0 : 1, {}))) << m.figure << " " << m.bar;
  }
}

// Every fused run takes `share` of the 100 us of everything else.
std::vector<Timed> made_up(double share) {
  std::vector<Timed> times;
  for (const Measure& m : all_measures()) {
    const double us = m.series == "fused" ? 100 * share : 100;
    times.push_back({m, us, {us, us}, 0});
  }
  return times;
}

const Finding& finding(const Report& report, const std::string& begin) {
  return *std::ranges::find_if(report.findings, [&](const Finding& f) { return f.what.starts_with(begin); });
}

TEST(TheFusedOperatorsFindings, AreHeldAgainstWhatIsPublished) {
  const Report near = report_of(made_up(0.75)), far = report_of(made_up(0.9));
  const char* const in_node = "embedding + all-to-all in a node: saves in the mean";
  EXPECT_TRUE(finding(near, in_node).hit) << "25 of 20 +- 6";
  EXPECT_FALSE(finding(far, in_node).hit) << "10 of 20 +- 6";
  EXPECT_EQ(finding(far, in_node).ours, "10.0");
  EXPECT_TRUE(finding(far, "GEMV + all-reduce: saves in the mean").hit) << "10 of 13 +- 6";
  EXPECT_FALSE(finding(near, "occupancy 25 to 75 %").hit) << "nothing of 46 +- 10";
  EXPECT_FALSE(finding(near, "oblivious order").hit) << "no skew at all of 7 +- 2";
  EXPECT_TRUE(finding(near, "aware order").hit);
  EXPECT_FALSE(near.passed());
}

TEST(TheFusedOperatorsFigures, AreNormalizedToTheBaseline) {
  const Report report = report_of(made_up(0.75));
  const auto file = std::ranges::find(report.files, "figure08.csv", [](const auto& f) { return f.first; });
  ASSERT_NE(file, report.files.end());
  EXPECT_NE(file->second.find("2048|256,fused,75.00,75.00,75.00,0.00,0.7500"), std::string::npos)
      << file->second;
}

}  // namespace
}  // namespace t3sim::fused_operators
