// A scheme of the user's own, from the command line to the files of a run and a sweep.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/program.h"
#include "in_folder.h"

namespace t3sim {
namespace {

class OwnSchemeCommand : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    write_file("tiny.yaml",
               "workload: {name: tiny, m: 1024, n: 256, k: 64}\ngpus: {count: 4}\n"
               "include: " T3SIM_SOURCE_DIR "/tests/machine.yaml\n");
    write_file("by-dma.yaml",
               "name: GEMM, then DMA\n"
               "doc: the collective by DMA after the GEMM\n"
               "stages:\n"
               "  - launch: gemm\n"
               "  - collective: {kind: exchange, by: dma}\n"
               "  - collective: all-gather\n");
  }
};

TEST_F(OwnSchemeCommand, IsInTheResultsByTheNameOfItsFile) {
  const Outcome outcome = t3sim_with("run tiny.yaml --scheme t3,./by-dma.yaml -o out --quiet");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto results = nlohmann::json::parse(content_of("out/results.json"));
  const auto& mine = results["schemes"]["by-dma"];
  EXPECT_GT(mine["speedup"], 0.5);
  EXPECT_EQ(mine["phases"].size(), 3U);
  EXPECT_NE(content_of("out/stats.csv").find("by-dma,reduce-scatter (nmc)"), std::string::npos);
  const auto manifest = nlohmann::json::parse(content_of("out/manifest.json"));
  EXPECT_TRUE(manifest["inputs"].contains("./by-dma.yaml"));
  // The resolved configuration gives the same again.
  ASSERT_EQ(t3sim_with("run out/config.yaml -o again --quiet").status, 0);
  EXPECT_EQ(content_of("out/results.json"), content_of("again/results.json"));
  EXPECT_EQ(t3sim_with("report out").status, 0);
}

TEST_F(OwnSchemeCommand, IsInTheRowsOfASweep) {
  write_file("sweep.yaml",
             "base: tiny.yaml\nschemes: [sequential, by-dma.yaml]\naxes: {workload.k: [64, 128]}\n");
  ASSERT_EQ(t3sim_with("sweep run sweep.yaml -o out -j 1").status, 0);
  const std::string results = content_of("out/results.csv");
  EXPECT_NE(results.find(",by-dma,"), std::string::npos) << results;
}

TEST_F(OwnSchemeCommand, IsCheckedAndExplained) {
  EXPECT_EQ(t3sim_with("program check by-dma.yaml").out,
            "by-dma: no fault found in 3 stages; a run looks at them again with its configuration\n");
  const std::string explained = t3sim_with("program explain by-dma.yaml").out;
  EXPECT_NE(explained.find("exchanges by DMA and near-memory adds"), std::string::npos) << explained;
}

TEST_F(OwnSchemeCommand, WhoseTimeIsNoneIsRefused) {
  for (const std::string derived : {"gemm - 1000000", "gemm / 0"}) {
    write_file("none.yaml",
               "name: none\nfrom: sequential\nstages: [{launch: gemm}, {collective: exchange}, "
               "{collective: all-gather}]\nderived: " +
                   derived + "\n");
    const Outcome outcome = t3sim_with("run tiny.yaml --scheme sequential,none.yaml -o out --quiet");
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_NE(outcome.err.find("scheme none: derived: is "), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists("out"));
  }
}

TEST_F(OwnSchemeCommand, WithAMistakeIsRefusedInOneLine) {
  write_file("wrong.yaml", "name: x\nstages:\n  - launch: gemm\n  - collective: all-gather\n");
  EXPECT_EQ(t3sim_with("run tiny.yaml --scheme wrong.yaml").err,
            "t3sim: --scheme: schemes.0: wrong.yaml:4:5: there are no sums to gather: an exchange of an "
            "all-reduce has "
            "to come before\n");
  EXPECT_EQ(t3sim_with("run tiny.yaml --scheme ficco-serial").err,
            "t3sim: --scheme: schemes.0: programs/ficco-serial.yaml: has no stages: it is no scheme; "
            "--program runs "
            "programs with streams\n");
}

}  // namespace
}  // namespace t3sim
