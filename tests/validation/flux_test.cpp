// t3sim validate flux: its cases on their machines, and its table from times that are made up.
#include <gtest/gtest.h>

#include <filesystem>

#include "program/library.h"
#include "runtime/load_program.h"
#include "validation/flux/findings.h"
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
    const bool drifts = config.gpu.scheduler == WavefrontScheduler::greedy;
    EXPECT_EQ(config.run.sampling, drifts ? SamplingChoice::off : SamplingChoice::automatic);
  }
}

TEST(FluxsEvaluation, HasProgramsThatItsMachinesCanRun) {
  std::filesystem::current_path(T3SIM_SOURCE_DIR);  // where its own programs are found
  for (const auto& run : runs_of_evaluation(true))
    if (run.of.m == 64 && run.of.machine == "h800-x8") {
      EXPECT_NO_THROW(load_program(configure(run.of, run.method))) << to_string(run.method);
    }
}

TEST(FluxsEvaluation, IsAConfigurationOfEachMachine) {
  std::filesystem::current_path(T3SIM_SOURCE_DIR);  // where its own programs are found
  for (const auto& run : runs_of_evaluation(true)) {
    if (run.of.m != 1024 || (run.method != Method::gemm && run.method != Method::fused)) continue;
    EXPECT_NO_THROW(configure(run.of, run.method)) << run.of.machine << ' ' << to_string(run.method);
  }
}

// Section 4.3: rings on PCIe, where GPUs of two sockets share a link.
TEST(FluxsEvaluation, HasRingsOnPcieAlone) {
  std::filesystem::current_path(T3SIM_SOURCE_DIR);
  for (const Pattern pattern : {Pattern::gather, Pattern::scatter}) {
    EXPECT_NE(configure({"a100-pcie-x8", pattern, 1024}, Method::fused).program.file.find("ring-"),
              std::string::npos);
    EXPECT_EQ(configure({"a100-nvlink-x8", pattern, 1024}, Method::fused).program.file.find("ring-"),
              std::string::npos);
  }
}

// Its repository refuses rows that are no whole tiles for every GPU.
TEST(FluxsEvaluation, PadsFewRowsForHopperAndHasNoneOfThemForAmpere) {
  const Case few{"h800-x8", Pattern::scatter, 512};
  EXPECT_EQ(configure(few, Method::fused).program.parameters.at("m"), 1024U);
  EXPECT_EQ(configure(few, Method::medium).program.parameters.at("m"), 512U);
  for (const auto& run : runs_of_evaluation(true))
    EXPECT_FALSE(run.of.pattern == Pattern::scatter && run.method == Method::fused && run.of.m < 1024 &&
                 run.of.machine != "h800-x8");
}

TEST(FluxsEvaluation, ComparesWithProgramsFreeOfFaultsOn2To16Gpus) {
  for (const char* name : {"all-gather-gemm", "gemm-reduce-scatter"})
    for (const std::uint32_t gpus : {2U, 3U, 8U, 16U}) {
      program::Setting setting;
      setting.gpus = gpus;
      setting.parameters = {{"m", gpus * 64}, {"n", 256}, {"k", 256}};
      const std::string path =
          std::string(T3SIM_SOURCE_DIR "/validation/flux/user-buffers-") + name + ".yaml";
      EXPECT_NO_THROW(program_library::load(path, setting)) << name << ", " << gpus << " GPUs";
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

// Of the efficiencies of gather and scatter at each m.
std::vector<Row> rows_of(Method method, double percent) {
  std::vector<Row> rows;
  for (const std::uint32_t m : {1024, 2048, 4096, 8192})
    for (const Pattern pattern : kPatterns)
      rows.push_back({{"h800-x8", pattern, m}, method, 150 - 0.5 * percent, 0, 100, 50});
  return rows;
}

std::string verdict_of(const std::vector<Row>& rows, const std::string& what) {
  for (const Finding& f : findings_of(rows, read_ranges(T3SIM_SOURCE_DIR "/validation/flux/ranges.csv")))
    if (f.what.find(what) != std::string::npos) return f.verdict;
  return "";
}

TEST(FluxsFindings, HoldAWholeRangeAgainstThePapers) {
  std::vector<Row> rows = rows_of(Method::fused, 72);
  EXPECT_EQ(verdict_of(rows, "h800-x8, fused, m 1024 to 8192: efficiency"), "hit");
  EXPECT_EQ(verdict_of(rows, "h800-x8, fused, m 1024 to 8192: mean"), "hit");
  rows[0].us = 150 - 0.5 * 28;  // 37 % less 8 is 29
  EXPECT_EQ(verdict_of(rows, "h800-x8, fused, m 1024 to 8192: efficiency"), "miss");
  rows.pop_back();
  EXPECT_EQ(verdict_of(rows, "h800-x8, fused"), "");
  EXPECT_EQ(verdict_of(rows_of(Method::fused, 59), "mean"), "miss");
}

TEST(FluxsFindings, SayWhoIsAheadAndWhatIsNegative) {
  std::vector<Row> rows = rows_of(Method::fused, 70);
  const std::vector<Row> medium = rows_of(Method::medium, -10);
  rows.insert(rows.end(), medium.begin(), medium.end());
  EXPECT_EQ(verdict_of(rows, "ahead of medium-grained"), "hit");
  EXPECT_EQ(verdict_of(rows, "medium, m 1024: gather, scatter"), "hit");
  rows[8].us = 100;  // medium-grained, gather, m = 1024
  EXPECT_EQ(verdict_of(rows, "ahead of medium-grained"), "miss");
  EXPECT_EQ(verdict_of(rows, "medium, m 1024: gather, scatter"), "miss");
}

// The paper's numbers are of the best of its settings.
TEST(FluxsFindings, CompareWithTheFasterOfOneAndTwoShardsAGemm) {
  std::vector<Row> rows = rows_of(Method::fused, 70);
  const std::vector<Row> medium = rows_of(Method::medium, -10);
  rows.insert(rows.end(), medium.begin(), medium.end());
  Row pairs = medium[0];
  pairs.method = Method::pairs, pairs.us = 100;
  rows.push_back(pairs);
  EXPECT_EQ(verdict_of(rows, "ahead of medium-grained"), "miss");
}

}  // namespace
}  // namespace t3sim::flux
