// Schemes as texts: what is read, what is refused, formulas over stages.
#include "program/scheme.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "base/error.h"
#include "config/load.h"
#include "program/library.h"

namespace t3sim::program {
namespace {

SchemeText scheme(const std::string& text) {
  return read_scheme(config::parse_yaml(text, "s.yaml"), "s.yaml");
}

std::string refusal_of(const std::string& text) {
  try {
    scheme(text);
  } catch (const InputError& e) {
    return e.what();
  }
  return "(accepted)";
}
std::string refusal_of_stage(const std::string& stage) {
  return refusal_of("name: x\nstages:\n  - " + stage + "\n");
}

std::vector<std::string> labels_for(const std::string& name, const SchemeFacts& facts) {
  std::vector<std::string> labels;
  for (const StageText* stage : program_library::scheme(name)->stages_for(facts))
    labels.emplace_back(stage->label());
  return labels;
}

// gpus, m, n, k, split_k, producer, consumer, independent, all_reduce, write_zeros, following, near_memory
constexpr SchemeFacts kAllReduce = {8, 1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 0};
constexpr SchemeFacts kGatheredInput = {8, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0};
constexpr SchemeFacts kEverything = {8, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1};

using Labels = std::vector<std::string>;

TEST(ShippedSchemes, HaveTheStagesThatTheConfigurationAsksFor) {
  EXPECT_EQ(labels_for("sequential", kAllReduce), (Labels{"gemm", "exchange", "all_gather"}));
  EXPECT_EQ(labels_for("sequential", kGatheredInput), (Labels{"exchange", "gemm"}));
  EXPECT_EQ(labels_for("t3", kAllReduce), (Labels{"fused", "all_gather"}));
  EXPECT_EQ(labels_for("t3-mca", kGatheredInput), (Labels{"fused"}));
  EXPECT_EQ(labels_for("t3", kEverything), (Labels{"zeros", "fused", "following", "all_gather"}));
  EXPECT_EQ(labels_for("sequential", kEverything),
            (Labels{"zeros", "gemm", "exchange", "all_gather", "following"}));
  EXPECT_EQ(labels_for("ideal-rs-nmc", kAllReduce), (Labels{"gemm", "exchange", "all_gather"}));
}

TEST(ShippedSchemes, AreNamedInTheirFiles) {
  EXPECT_EQ(program_library::scheme_names(),
            (Labels{"ideal-overlap", "ideal-rs-nmc", "kernel", "sequential", "t3", "t3-mca"}));
  for (const std::string& name : program_library::scheme_names()) {
    EXPECT_EQ(program_library::scheme(name)->name, name);
    EXPECT_GT(program_library::scheme(name)->doc.size(), 15U) << name;
    EXPECT_EQ(program_library::scheme(name)->is_kernel_alone(), name == "kernel");
  }
}

TEST(SchemeText, SaysWhereAMistakeIs) {
  EXPECT_EQ(refusal_of_stage("{launch: gem}"), "s.yaml:3:14: unknown launch \"gem\"; did you mean gemm?");
  EXPECT_EQ(refusal_of_stage("{lanch: gemm}"),
            "s.yaml:3:6: stage: unknown key \"lanch\"; did you mean launch?");
  EXPECT_EQ(refusal_of_stage("{name: x}"),
            "s.yaml:3:5: stage: does nothing; allowed: launch, collective, zero, following");
  EXPECT_EQ(refusal_of_stage("{launch: gemm, collective: exchange}"),
            "s.yaml:3:20: \"collective\": the stage has \"launch\" already; stages follow one another");
  EXPECT_EQ(refusal_of_stage("{launch: kernel, track: c}"), "s.yaml:3:29: track: needs launch: gemm");
  EXPECT_EQ(refusal_of_stage("{collective: exchange, track: c}"),
            "s.yaml:3:28: track: goes with a launch; alone it is collective: {kind: exchange, by: dma}");
  EXPECT_EQ(refusal_of_stage("{launch: gemm, track: a}"),
            "s.yaml:3:27: track: the GEMM reads a: say triggers: workgroups");
  EXPECT_EQ(refusal_of_stage("{launch: gemm, track: {array: other, plan: x}}"),
            "s.yaml:3:48: plan: is of what the GEMM stores: array c; others have an algorithm");
  EXPECT_EQ(refusal_of_stage("{launch: gemm, time: gemm}"),
            "s.yaml:3:26: time: found \"gemm\"; allowed: a key of results.json of letters, digits, _ and - "
            "that ends in _us, such as gemm_us");
  EXPECT_NE(refusal_of_stage("{launch: gemm, time: \"a,b_us\"}").find("allowed: a key of"),
            std::string::npos);
  EXPECT_EQ(refusal_of_stage("{launch: gemm, time: time_us}"),
            "s.yaml:3:26: time: \"time_us\" is the time of the whole scheme; allowed: another key");
  EXPECT_EQ(refusal_of_stage("{if: allreduce, launch: gemm}").substr(0, 12), "s.yaml:3:10:");
  EXPECT_EQ(refusal_of("name: x\nstages: []\n"), "s.yaml:2:9: stages: expected a list of stages");
  EXPECT_EQ(refusal_of("name: x\nfrom: sequential\nstages: [{launch: gemm}]\n"),
            "s.yaml:2:7: from: only of a derived scheme; say derived: ...");
}

TEST(SchemeText, AFormulaNamesStages) {
  const auto formula = [](const std::string& text) {
    return refusal_of("name: x\nstages: [{launch: gemm}]\nderived: " + text + "\n");
  };
  EXPECT_EQ(formula("max(gemm, exchange) + rest"), "(accepted)");
  EXPECT_EQ(formula("max(gem, exchange)"), "s.yaml:3:14: unknown stage \"gem\"; did you mean gemm?");
  EXPECT_EQ(formula("gemm < 3"), "s.yaml:3:15: <: of times there are + - * / min max");
}

TEST(TimeFormula, IsEvaluatedOverTimes) {
  const auto value = [](std::string_view name) {
    return name == "gemm" ? 2.5 : name == "exchange" ? 4.0 : 1.0;
  };
  EXPECT_EQ(TimeFormula("max(gemm, exchange) + rest").evaluate(value), 5.0);
  EXPECT_EQ(TimeFormula("0.5 * (gemm - 1) / 3 + min(2, exchange)").evaluate(value), 0.25 + 2);
  EXPECT_TRUE(TimeFormula("gemm + rest").uses("gemm"));
  EXPECT_FALSE(TimeFormula("gemm + rest").uses("exchange"));
}

TEST(SchemeDocs, TheExampleIsFreeOfFaults) {
  std::ifstream file(std::string(T3SIM_SOURCE_DIR) + "/docs/schemes.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const auto begin = page.find("```yaml\n") + 8;
  EXPECT_EQ(refusal_of(page.substr(begin, page.find("```", begin) - begin)), "(accepted)");
}

TEST(ProgramLibrary, TellsSchemesFromProgramsWithStreams) {
  const auto message = [](auto read) -> std::string {
    try {
      read();
    } catch (const InputError& e) {
      return e.what();
    }
    return "(accepted)";
  };
  EXPECT_EQ(message([] { program_library::read("t3"); }),
            "programs/t3.yaml: has stages and no streams: it is a scheme, for --scheme or the key schemes");
  EXPECT_EQ(
      message([] { program_library::scheme("ficco-serial"); }),
      "programs/ficco-serial.yaml: has no stages: it is no scheme; --program runs programs with streams");
}

}  // namespace
}  // namespace t3sim::program
