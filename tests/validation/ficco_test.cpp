// FiCCO's study: finished runs are committed and not repeated.
#include <gtest/gtest.h>

#include "config/config.h"
#include "in_folder.h"
#include "presets/machine.h"
#include "validation/ficco/ficco_validation.h"

namespace t3sim::ficco {
namespace {

Config machine() {
  config::Document document = config::load_file(presets::machine_path("mi300x-x8"));
  Config config;
  config::read(document.root, config);
  return config;
}

class FiccoTest : public InFolder {};

TEST_F(FiccoTest, RedrawsAShapeWhoseRunsAreAllCommitted) {
  const std::vector<Shape> shapes{{"small", 1024, 512, 512}};
  const Simulated first = simulate(machine(), shapes, {.jobs = 1, .cache = "", .quiet = true});
  write_file("runs.jsonl", first.kept_lines);
  const model::KeptRuns kept("runs.jsonl");
  EXPECT_EQ(kept.size(), std::size(kRuns));
  EXPECT_EQ(finished(machine(), shapes, kept).size(), 1U);

  const Simulated again =
      simulate(machine(), shapes, {.jobs = 1, .cache = "", .quiet = true, .committed = &kept});
  EXPECT_EQ(report_of(again.shapes).schedules_csv, report_of(first.shapes).schedules_csv);
  EXPECT_EQ(report_of(again.shapes).parts_csv, report_of(first.shapes).parts_csv);
  EXPECT_EQ(kept.with(again.kept_lines), first.kept_lines);
}

TEST_F(FiccoTest, DoesNotCallAShapeFinishedWhereARunIsMissing) {
  const std::vector<Shape> shapes{{"small", 1024, 512, 512}};
  model::Points points;
  for (const ficco::Run run : {ficco::Run::gemm, ficco::Run::gather})
    points.add(configure(machine(), shapes[0], run));
  points.run({.jobs = 1, .cache = "", .quiet = true});
  write_file("runs.jsonl", points.kept_lines());
  EXPECT_TRUE(finished(machine(), shapes, model::KeptRuns("runs.jsonl")).empty());
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

}  // namespace
}  // namespace t3sim::ficco
