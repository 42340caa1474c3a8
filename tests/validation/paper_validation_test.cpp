#include "validation/paper/paper_validation.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "in_folder.h"
#include "model/from_file.h"
#include "run/check_config.h"
#include "validation/paper/transformer.h"

namespace t3sim::paper {
namespace {

// The operators of Figures 4 and 19 are those that a graph of the model has (docs/models.md).
TEST(PaperTransformers, AreTheGraphsOfTheirModels) {
  Config machine;
  config::read(config::load_file(T3SIM_SOURCE_DIR "/configs/paper/machine.yaml").root, machine);
  const OperatorModel operators(machine);
  const std::pair<const char*, Model> models[] = {
      {"mega-gpt-2", mega_gpt_2()}, {"t-nlg", t_nlg()}, {"mt-nlg", large_models()[2]}};
  for (const auto& [name, m] : models) {
    model::TransformerSpec spec;
    spec.model = name;
    spec.heads = m.heads;
    spec.blocks = 1;
    spec.sequence = m.sequence;
    spec.micro_batch = m.batch;
    spec.tp = 8;
    spec.attention = model::Attention::unfused;
    spec.scheme = "t3";
    model::Builder builder(machine, model::Products::estimate);
    model::add_transformer(builder, spec);
    double rest = 0, sub_layers = 0;
    for (const model::Operation& o : builder.graph().operations) {
      rest += static_cast<double>(o.time) / 1e6;
      sub_layers += o.source == "cycle level, t3";
    }
    const double theirs = operators.forward_rest_us(m, 8) + operators.backward_rest_us(m, 8);
    EXPECT_NEAR(rest, theirs, 1e-3 * theirs) << name;
    EXPECT_EQ(sub_layers, 4) << name;
  }
}

using PaperPoints = InFolder;
using PaperTargets = InFolder;

Targets targets() { return Targets(T3SIM_SOURCE_DIR "/validation/paper/targets.csv"); }

TEST(PaperCases, AreThoseOfTable2) {
  const std::vector<Case> cases = sixteen_cases();
  ASSERT_EQ(cases.size(), 16U);
  EXPECT_EQ(cases[0].name(), "Mega-GPT-2 OP TP8");
  EXPECT_EQ(cases[0].k(), 384U);
  const Config config = configure(Config{}, cases[13]);  // T-NLG FC-2 TP16
  EXPECT_EQ(config.workload.name, "T-NLG FC-2 TP16");
  EXPECT_EQ(config.workload.m, 8192U);
  EXPECT_EQ(config.workload.n, 4256U);
  EXPECT_EQ(config.workload.k, 1064U);
  EXPECT_EQ(config.gpus.count, 16U);
  EXPECT_EQ(config.workload.layout, GemmLayout::tn);
  EXPECT_EQ(cases[15].layout(), GemmLayout::nn);  // IP, backward
  EXPECT_EQ(cases[15].k(), 3U * 4256 / 16);
}

TEST(PaperCases, AreAllowedOnTheMachine) {
  for (const auto& cases : {sixteen_cases(), large_cases()})
    for (const Case& c : cases) {
      Config config = configure(Config{}, c);
      EXPECT_NO_THROW(check_config(config, {})) << c.name();
    }
}

TEST_F(PaperTargets, HoldEveryRowOfThePaper) {
  const Targets t = targets();
  EXPECT_EQ(t.all().size(), 39U);
  EXPECT_EQ(t.at("t3-e2e-train-geo").numbers(), (std::vector<double>{1.07, 1.10}));
  EXPECT_EQ(t.at("t3-fc-behind-ideal").numbers(), (std::vector<double>{15}));
  EXPECT_THROW(t.at("no-such-row"), InputError);
}

TEST_F(PaperTargets, SayWhereAFileIsWrong) {
  write_file("targets-wrong.csv", "id,paper,where,quantity,case,value,unit\nx,t3\n");
  try {
    Targets wrong("targets-wrong.csv");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("targets-wrong.csv:2: 2 fields where there are 7 columns"),
              std::string::npos)
        << e.what();
  }
}

TEST(PaperSummary, PassesAGateInsideItsToleranceOnly) {
  const Targets t = targets();
  Summary summary(t);
  summary.gate("t3-ideal-geo", 1.389, 0.04);
  EXPECT_TRUE(summary.passed());
  summary.gate("t3-ideal-geo", 1.391, 0.04);
  EXPECT_FALSE(summary.passed());
}

TEST(PaperSummary, TakesNothingButTheFormulaForExact) {
  const Targets t = targets();
  Summary summary(t);
  summary.exact("t3-rs-reads-tp8", 2.5, 15.0 / 6);
  summary.exact("t3-rs-reads-tp16", 31.0 / 14, 31.0 / 14);
  summary.exact("t3-writes-tp8", 8.0 / 7, 8.0 / 7);
  EXPECT_TRUE(summary.passed());
  summary.exact("t3-rs-reads-tp8", 2.501, 15.0 / 6);
  EXPECT_FALSE(summary.findings().back().held);
}

TEST(PaperSummary, NeverFailsForWhatIsOnlyReported) {
  const Targets t = targets();
  Summary summary(t);
  summary.report("t3-t3-geo", {1.9});
  EXPECT_TRUE(summary.passed());
  EXPECT_FALSE(summary.findings().back().held);
  EXPECT_NE(summary.csv().find("t3-t3-geo,1.20 x,1.900,+0.700,reported,differs"), std::string::npos)
      << summary.csv();
}

TEST(PaperSummary, DoesNotCallASmallNumberCloseThatIsOffByMoreThanHalf) {
  const Targets t = targets();
  Summary summary(t);
  const auto held = [&](const std::string& id, double ours) {
    summary.report(id, {ours});
    return summary.findings().back().held;
  };
  EXPECT_TRUE(held("t3-cu-ar16", 3.5));  // 7 %
  EXPECT_FALSE(held("t3-cu-ar16", 3.4));
  EXPECT_TRUE(held("t3-cu-ar8", 45.9));  // 41 %
  EXPECT_FALSE(held("t3-cu-ar8", 46.1));
}

TEST(PaperSummary, GivesNoVerdictOnWhatIsNotThePublishedQuantity) {
  const Targets t = targets();
  Summary summary(t);
  summary.beside("t3-rs-validation", 4.3);
  EXPECT_TRUE(summary.passed());
  EXPECT_NE(summary.csv().find("t3-rs-validation,6 %,4.3,,reported,beside"), std::string::npos)
      << summary.csv();
}

TEST(PaperStatistics, RankCorrelationSharesRanksOfEqualValues) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {10, 20, 30}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {3, 2, 1}), -1);
  EXPECT_NEAR(rank_correlation({1, 2, 2, 3}, {1, 2, 3, 4}), 0.9487, 1e-4);
}

Config tiny(const std::string& name) {
  Config config;
  config.workload.name = name;
  config.workload.m = config.workload.n = 512;
  config.workload.k = 32;
  config.gpus.count = 2;
  config.schemes = {shipped::sequential, shipped::t3};
  return config;
}

TEST_F(PaperPoints, RunAConfigurationOnceAndKeepItsResult) {
  const PointOptions options{.jobs = 2, .cache = "runs", .quiet = true};
  Points first;
  const PointId id = first.add(tiny("a"));
  EXPECT_EQ(first.add(tiny("a")), id);
  const PointId other = first.add(tiny("b"));
  first.run(options);
  EXPECT_EQ(first.reused(), 0U);
  EXPECT_GT(first[id].time_us(shipped::t3), 0);
  EXPECT_EQ(first[id].time_us(shipped::t3), first[other].time_us(shipped::t3));

  Points second;
  const PointId again = second.add(tiny("a"));
  second.run(options);
  EXPECT_EQ(second.reused(), 1U);
  EXPECT_EQ(second[again].time_us(shipped::t3), first[id].time_us(shipped::t3));
  EXPECT_EQ(second[again].dram(shipped::t3, "rs_write"), first[id].dram(shipped::t3, "rs_write"));
  EXPECT_EQ(second[again].dram_series.size(), first[id].dram_series.size());
}

TEST_F(PaperPoints, SimulateTheSequentialSchemeOnlyWhereItIsAskedFor) {
  Points points;
  Config fused = tiny("a");
  fused.schemes = {shipped::t3};
  const PointId alone = points.add(fused), both = points.add(tiny("a"));
  points.run({.jobs = 1, .cache = "", .quiet = true});
  EXPECT_FALSE(points[alone].schemes.contains("sequential"));
  EXPECT_EQ(points[alone].time_us(shipped::t3), points[both].time_us(shipped::t3));
  EXPECT_GT(points[both].speedup(shipped::t3), 0);
}

TEST_F(PaperPoints, RunAnewWhatIsKeptInPart) {
  const PointOptions options{.jobs = 1, .cache = "runs", .quiet = true};
  Points first;
  first.add(tiny("a"));
  first.run(options);
  for (const auto& file : std::filesystem::directory_iterator("runs"))
    std::filesystem::resize_file(file.path(), std::filesystem::file_size(file.path()) / 2);
  Points second;
  const PointId id = second.add(tiny("a"));
  second.run(options);
  EXPECT_EQ(second.reused(), 0U);
  EXPECT_GT(second[id].time_us(shipped::t3), 0);
}

TEST_F(PaperPoints, ReportWhatARunThrows) {
  Points points;
  Config wrong = tiny("wrong");
  wrong.workload.generated = false;
  wrong.workload.trace = "no-such-trace.t3t";
  points.add(wrong);
  EXPECT_THROW(points.run({.jobs = 2, .cache = "", .quiet = true}), InputError);
}

TEST(PaperFigures, NamesThoseThatAreKnownForOneThatIsNot) {
  try {
    validate(Config{}, targets(), 7, false, {.jobs = 1, .cache = "", .quiet = true});
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("4, 6, 14, 15, 16, 17, 18, 19, 20"), std::string::npos) << e.what();
  }
}

TEST(OperatorModel, TakesAProductsFlopsOverTheMatrixRate) {
  const OperatorModel model{Config{}};
  const double flops = 2.0 * 128 * 160 * 128 * 4096, rate = 80 * 1024 * 1.4e3 * 0.77;
  EXPECT_NEAR(model.gemm_us(128 * 160, 128, 4096), flops / rate, 1e-6 * flops / rate);
}

TEST(OperatorModel, GivesBackwardAboutTwiceTheMatrixWorkOfForward) {
  const OperatorModel model{Config{}};
  const double forward = model.forward_rest_us(t_nlg(), 8), backward = model.backward_rest_us(t_nlg(), 8);
  EXPECT_GT(backward, 1.5 * forward);
  EXPECT_LT(backward, 3.5 * forward);
}

TEST(OperatorModel, HasCollectivesOfTheClosedForm) {
  const Config machine;
  const SubLayerTime t = OperatorModel(machine).sub_layer({t_nlg(), SubLayer::op, 8});
  const double output = 2.0 * 8192 * 4256;
  EXPECT_NEAR(t.ag_us, 7 * (output / 8 / 75e3 + 0.5), 0.01);
  EXPECT_GT(t.rs_us, t.ag_us);
}

}  // namespace
}  // namespace t3sim::paper
