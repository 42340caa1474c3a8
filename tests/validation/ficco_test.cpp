// FiCCO's study: finished runs are committed and not repeated.
#include <gtest/gtest.h>

#include "config/config.h"
#include "draws.h"
#include "in_folder.h"
#include "presets/machine.h"
#include "validation/ficco/findings.h"
#include "validation/ficco/unseen.h"

namespace t3sim::ficco {
namespace {

Config machine() {
  config::Document document = config::load_file(presets::machine_path("mi300x-x8"));
  Config config;
  config::read(document.root, config);
  // A small part of one, with which a test is done in seconds.
  config.gpu.cus = 40;  // 28 of them send by CUs
  config.memory.channels = 16;
  config.l2.slices = 16;
  config.l2.dies = 1;
  config.l2.size_bytes = 1 << 20;
  config.l2.memory_side.size_bytes = 8 << 20;
  return config;
}

const Shape kSmall{"small", 1024, 1024, 4096};
const model::PointOptions kQuietly{.jobs = 1, .cache = "", .quiet = true};

class FiccoTest : public InFolder {};

TEST_F(FiccoTest, RedrawsAShapeWhoseRunsAreAllCommitted) {
  T3_SKIP_IF_SANITIZED();
  // Seen and unseen: runs that both have are made once.
  const Simulated first = simulate(machine(), {kSmall}, {kSmall}, kQuietly);
  write_file("runs.jsonl", first.kept_lines);
  const model::KeptRuns kept("runs.jsonl");
  EXPECT_EQ(kept.size(), std::size(kRuns));
  EXPECT_EQ(finished(machine(), {kSmall}, kept, false).size(), 1U);
  EXPECT_EQ(finished(machine(), {kSmall}, kept, true).size(), 1U);
  EXPECT_TRUE(finished(machine(), {{"another", 1024, 1024, 2048}}, kept, true).empty());

  model::PointOptions committed = kQuietly;
  committed.committed = &kept;
  const Simulated again = simulate(machine(), {kSmall}, {kSmall}, committed);
  const Report before = report_of(first), after = report_of(again);
  EXPECT_EQ(after.schedules_csv, before.schedules_csv);
  EXPECT_EQ(after.parts_csv, before.parts_csv);
  EXPECT_EQ(after.contention_csv, before.contention_csv);
  EXPECT_EQ(after.heuristic_csv, before.heuristic_csv);
  EXPECT_EQ(kept.with(again.kept_lines), first.kept_lines);
}

TEST_F(FiccoTest, HeuristicTakes2dWhereKIsLongerAndElseGoesByTheThreshold) {
  const double threshold = 1e12;
  EXPECT_EQ(heuristic({"", 1024, 8192, 4096}, threshold), ficco::Run::uniform_2d);
  const auto of_flops = [](double flops) {  // m = flops / (2 n k) > k
    return Shape{"", static_cast<std::uint64_t>(flops / (2.0 * 1024 * 64)), 8 * 1024, 64};
  };
  EXPECT_EQ(heuristic(of_flops(0.9 * threshold), threshold), ficco::Run::uniform_1d);
  EXPECT_EQ(heuristic(of_flops(3 * threshold), threshold), ficco::Run::hetero_fused);
  EXPECT_EQ(heuristic(of_flops(5.1 * threshold), threshold), ficco::Run::hetero_unfused);
}

// Of times that a test makes up.
ShapeTimes shape_with(std::uint64_t m, double uniform, double hetero, double unfused) {
  ShapeTimes times{{"made up", m, 8 * 1024, 1024}, {}};
  for (const Run run : kRuns) times.runs[run] = {100, 0, Contention{1.1, 1.2}};
  times.runs[Run::uniform_1d].us = uniform;
  times.runs[Run::hetero_fused].us = hetero;
  times.runs[Run::hetero_unfused].us = unfused;
  return times;
}

TEST(FiccosHeuristic, HasTheThresholdThatIsRightMostOften) {
  // FLOPs go with m: the first begins below the threshold, the last one beyond five times it.
  const std::vector<ShapeTimes> shapes{shape_with(2048, 50, 90, 90), shape_with(8192, 90, 50, 90),
                                       shape_with(16384, 90, 50, 90), shape_with(65536, 90, 90, 50)};
  const double threshold = *fitted_threshold(shapes);
  EXPECT_GT(threshold, shapes[0].shape.flops());
  EXPECT_LT(threshold, shapes[1].shape.flops());
  EXPECT_LT(5 * threshold, shapes[3].shape.flops());
  EXPECT_GT(5 * threshold, shapes[2].shape.flops());
  EXPECT_TRUE(heuristic_findings(shapes, {})[0].hit);
}

TEST(FiccosHeuristic, IsNotFittedWhereTheThresholdNeverCounts) {
  const std::vector<ShapeTimes> shapes{shape_with(512, 50, 90, 90)};  // M <= K
  EXPECT_FALSE(fitted_threshold(shapes));
  EXPECT_FALSE(heuristic_findings(shapes, shapes)[0].hit);
}

TEST(FiccosHeuristic, IsJudgedOnOtherShapes) {
  const std::vector<ShapeTimes> shapes{shape_with(2048, 50, 90, 90), shape_with(8192, 90, 50, 90)};
  const std::vector<ShapeTimes> wrong{shape_with(2048, 100, 50, 90), shape_with(8192, 90, 50, 90)};
  const std::vector<Finding> findings = heuristic_findings(shapes, wrong);
  EXPECT_EQ(findings[1].ours, "50 (1 of 2)");
  EXPECT_FALSE(findings[1].hit);
  EXPECT_EQ(findings[2].ours, "50");  // half of the speed
}

TEST(FiccosFindings, MissWhereTimesAreOthers) {
  ShapeTimes shape = shape_with(8192, 90, 90, 90);
  shape.runs[Run::gather_p2p].us = 700;
  const auto verdict = [](const ShapeTimes& times, std::string_view what) {
    for (const Finding& f : findings_of({times}))
      if (f.what == what) return f.hit;
    ADD_FAILURE() << what;
    return false;
  };
  EXPECT_TRUE(verdict(shape, "shard-p2p communicates slower, times"));
  EXPECT_TRUE(verdict(shape, "GEMM beside copies in pieces, slower"));
  EXPECT_TRUE(verdict(shape, "64 pieces of rows take less than 8"));
  EXPECT_FALSE(verdict(shape, "copy engines slow GEMMs less than CUs that send"));  // as much
  shape.runs[Run::gather_p2p].us = 600;
  shape.runs[Run::hetero_unfused].together->gemm = 1.01;
  shape.runs[Run::rows64].us = 97;
  EXPECT_FALSE(verdict(shape, "shard-p2p communicates slower, times"));
  EXPECT_FALSE(verdict(shape, "GEMM beside copies in pieces, slower"));
  EXPECT_FALSE(verdict(shape, "64 pieces of rows take less than 8"));
  EXPECT_TRUE(verdict(shape, "copy engines slow GEMMs less than CUs that send"));
}

TEST(UnseenShapes, AreTheSameEveryTimeAndWithinTheirRule) {
  const std::vector<Shape> shapes = unseen_shapes(1, 64);
  ASSERT_EQ(shapes.size(), 64U);
  EXPECT_EQ(unseen_shapes(1, 8)[7].m, shapes[7].m);
  EXPECT_NE(unseen_shapes(2, 1)[0].flops(), shapes[0].flops());
  int wide = 0;
  for (const Shape& s : shapes) {
    EXPECT_GE(s.flops(), 4e12);
    EXPECT_LE(s.flops(), 32e12);
    EXPECT_EQ(s.m % 8192, 0U);
    EXPECT_EQ(s.own_n() % 256, 0U);
    EXPECT_EQ(s.k % 2048, 0U);
    wide += s.m <= s.k;
  }
  EXPECT_GT(wide, 4);  // both sides of the rule
  EXPECT_LT(wide, 60);
}

}  // namespace
}  // namespace t3sim::ficco
