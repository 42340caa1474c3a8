// t3sim validate flux: its cases on their machines, and its table from times that are made up.
#include <gtest/gtest.h>

#include "runtime/load_program.h"
#include "validation/flux/flux_validation.h"

namespace t3sim::flux {
namespace {

const char* const kPublished = T3SIM_SOURCE_DIR "/validation/flux/published.csv";

TEST(FluxsEvaluation, RunsOnTheMachinesOfItsPaper) {
  const auto usual = runs_of_evaluation(false);
  const auto all = runs_of_evaluation(true);
  EXPECT_GT(all.size(), 4 * usual.size());
  for (const auto& run : usual) {
    const Config config = configure(run.of, run.method);
    EXPECT_EQ(config.gpus.count, run.method == Method::gemm ? 2U : 8U);
    EXPECT_EQ(config.program.parameters.at("m"), run.of.m);
    EXPECT_EQ(config.run.sampling, SamplingChoice::automatic);
  }
}

TEST(FluxsEvaluation, HasProgramsThatItsMachinesCanRun) {
  for (const auto& run : runs_of_evaluation(true))
    if (run.of.m == 64 && run.of.machine == "h800-x8") {
      EXPECT_NO_THROW(load_program(configure(run.of, run.method))) << to_string(run.method);
    }
}

// Times in us: the GEMM 100, the collective 50.
Row row(Method method, double us) { return {{"h800-x8", Pattern::gather, 4096}, method, us, 0, 100, 50}; }

TEST(FluxsEfficiency, IsTheShareOfTheCollectiveThatIsHidden) {
  EXPECT_DOUBLE_EQ(row(Method::fused, 150).efficiency(), 0);
  EXPECT_DOUBLE_EQ(row(Method::fused, 100).efficiency(), 1);
  EXPECT_DOUBLE_EQ(row(Method::medium, 200).efficiency(), -1);
}

TEST(FluxsTotals, AreHeldAgainstWhatIsPublished) {
  const std::vector<Published> published = read_published(kPublished);
  ASSERT_EQ(published.size(), 4U);
  std::vector<Row> rows;
  for (const Published& p : published)
    rows.push_back(
        {p.of, Method::fused, 1e3 * p.fused_ms, 0, 1e3 * p.gemm_ms, 1e3 * (p.separate_ms - p.gemm_ms)});
  EXPECT_TRUE(report_of(rows, published).passed);
  EXPECT_EQ(report_of(rows, published).totals_csv.find("miss"), std::string::npos);
  rows[0].us *= 1.11;
  const Report report = report_of(rows, published);
  EXPECT_FALSE(report.passed);
  EXPECT_NE(report.totals_csv.find("a800-x8,gather,4096,fused us,2469.0,2740.6,+11.0 %,miss"),
            std::string::npos)
      << report.totals_csv;
}

}  // namespace
}  // namespace t3sim::flux
