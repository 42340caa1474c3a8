// t3sim validate fused-operators: its runs on their machines, and its findings from times that are made up.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "runtime/load_program.h"
#include "validation/fused_operators/bands.h"
#include "validation/fused_operators/full_rounds.h"
#include "validation/fused_operators/timeline.h"
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

// When GPU 0 has its first slice of a kind, and how many of them.
struct Slices {
  double first_us = 1e9;
  int count = 0;
};
Slices slices_of(const std::string& csv, const std::string& kind) {
  Slices slices;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("0,") && line.find("," + kind + ",") != std::string::npos) {
      slices.first_us = std::min(slices.first_us, std::stod(line.substr(line.rfind(',') + 1)));
      ++slices.count;
    }
  return slices;
}

TEST(TheFusedOperatorsTimeline, HasOthersSlicesPutBeforeOwnOnesUnlessTheOrderIsOblivious) {
  std::vector<std::string> few;
  for (const char* value : {"tables=4", "rows=1000", "batch=64", "pooling=4", "workgroups=32"})
    few.push_back(std::string("program.parameters.") + value);
  const auto csv = [&] {
    return timeline_of(T3SIM_SOURCE_DIR "/validation/fused-operators/figure11.yaml", few).csv;
  };
  const std::string aware = csv();
  EXPECT_EQ(slices_of(aware, "put").count, 8);
  EXPECT_EQ(slices_of(aware, "own").count, 8);
  EXPECT_LT(slices_of(aware, "put").first_us, slices_of(aware, "own").first_us);
  few.push_back("program.parameters.remote_first=0");
  const std::string oblivious = csv();
  EXPECT_GT(slices_of(oblivious, "put").first_us, slices_of(oblivious, "own").first_us);
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

TEST(TheFusedOperatorsFindings, AreHitByABandThatIsNotTooWide) {
  const char* const in_node = "embedding + all-to-all in a node: saves in the mean";
  const auto with = [&](std::vector<Band::Move> moves) {
    return finding(report_of(made_up(0.9), {{8, std::move(moves)}}), in_node);
  };
  const Finding near = with({{"pooling", "10", 11}, {"unroll", "2", -3}});
  EXPECT_TRUE(near.hit) << "20 lies between 7 and 21, 14 points";
  EXPECT_EQ(near.low, "7.0");
  EXPECT_EQ(near.high, "21.0");
  EXPECT_EQ(near.decides, "pooling 10");
  EXPECT_FALSE(with({{"pooling", "10", 13}, {"unroll", "2", -3}}).hit) << "16 points";
  EXPECT_FALSE(with({{"pooling", "10", 9}}).hit) << "19 at most";
}

// Times that are what the inputs at an end make of them: launches of 3 and 8 us instead of 5.
TEST(TheFusedOperatorsBands, MoveTheMeanByWhatTheBarInTheMiddleMoves) {
  const Inputs inputs;
  std::vector<Timed> ends;
  for (const Measure& m : measures_of_ends({9}, inputs)) {
    const double us = m.series == "fused" ? 75 : m.inputs.kernel_launch_us == 3.0 ? 90 : 100;
    ends.push_back({m, us, {us, us}, 0});
  }
  const std::vector<Band> bands = bands_of({9}, inputs, made_up(0.75), ends);
  ASSERT_EQ(bands.size(), 1U);
  ASSERT_EQ(bands[0].moves.size() * 2, ends.size());
  for (const Band::Move& move : bands[0].moves)
    EXPECT_NEAR(move.points,
                move.input == "kernel_launch" && move.value == "3" ? 100 * (1 - 75. / 90) - 25 : 0, 1e-9)
        << move.input;
}

// The ranges were written down before the first run; the code must not know others.
TEST(TheFusedOperatorsBands, AreOfTheCommittedRanges) {
  std::map<std::string, std::set<double>> committed;
  std::ifstream file(T3SIM_SOURCE_DIR "/validation/fused-operators/inputs.csv");
  ASSERT_TRUE(file);
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    std::string input, value, low, high;
    std::getline(std::getline(std::getline(std::getline(cells, input, ','), value, ','), low, ','), high,
                 ',');
    for (const std::string& end : {low, high})
      committed[input].insert(std::strtod(
          end.substr(end.find_first_of("0123456789.") == end.npos ? 0 : end.find_first_of("0123456789."))
              .c_str(),
          nullptr));
  }
  for (const int figure : kBandFigures)
    for (const InputEnd& end : input_ends(figure, {})) {
      const std::string input = end.input.substr(0, end.input.find(' '));
      double value = std::stod(end.value);
      if (input == "indices") value /= 100;
      if (input == "occupancy") value *= 12.5;
      EXPECT_TRUE(committed[input].contains(value)) << end.input << " " << end.value;
    }
}

// Persistent workgroups: 104 CUs with 7 of them each take 5 tables of 1024 bags in 7.03 rounds, which are 8.
TEST(TwoShortRuns, GrowByAsManyRoundsAsTheirBagsFill) {
  EXPECT_NEAR(slope_error(1024, 728, 4, 8), 6. * 728 / 4096 - 1, 1e-12) << "6 and 12 rounds";
  for (const std::uint64_t batch : {256U, 512U, 1024U, 2048U})
    for (const std::uint64_t places : {2U, 3U, 4U, 5U, 6U, 7U, 8U}) {
      const auto [fewer, more] = tables_of_full_rounds(batch, 104 * places);
      EXPECT_GE(fewer * batch, 2048U);
      EXPECT_GE(more, 2 * fewer);
      EXPECT_LE(more * batch, 14336U);
      EXPECT_LE(slope_error(batch, 104 * places, fewer, more), 0.02) << batch << " " << places;
    }
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
