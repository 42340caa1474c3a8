// Schemes of a user's own: what becomes of their texts for a configuration, and what is refused.
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "in_folder.h"
#include "machine/small_cluster.h"
#include "results/progress.h"
#include "run/functional.h"
#include "run/run_schemes.h"
#include "run/scheme_table.h"

namespace t3sim {
namespace {

class OwnScheme : public InFolder {
 protected:
  static Config config() { return small_config(4, 512, 256, 64, GpuModel::explicit_); }

  static Scheme made(const Config& config, const std::string& stages) {
    std::ofstream("mine.yaml") << "name: mine\nstages:\n" << stages;
    return SchemeTable(config).scheme("mine.yaml");
  }
  static std::string refusal(const Config& config, const std::string& stages) {
    try {
      made(config, stages);
    } catch (const InputError& e) {
      return e.what();
    }
    return "(accepted)";
  }
  static std::uint64_t errors(const Config& config, const std::string& stages) {
    const Scheme scheme = made(config, stages);
    const Collectives forms = collectives(config);
    std::vector<FunctionalGpu> state = functional_state(config, forms);
    for (const SchemePhase& phase : scheme.phases) run_phase(config, phase.phase, &state);
    return check_result(config, forms, scheme.exchange, state).errors;
  }
};

TEST_F(OwnScheme, RunsBesideTheShippedOnes) {
  std::ofstream("by-dma.yaml") << "name: GEMM, then DMA\n"
                                  "stages:\n"
                                  "  - launch: gemm\n"
                                  "  - collective: {kind: exchange, by: dma}\n"
                                  "  - collective: all-gather\n";
  Config config = this->config();
  config.schemes = {shipped::sequential, "by-dma.yaml", shipped::ideal_rs_nmc};
  Progress silent(Progress::Mode::silent);
  const RunReport report = run_schemes(config, {}, silent);
  ASSERT_EQ(report.schemes.size(), 3U);
  const SchemeResult& mine = report.schemes[1];
  EXPECT_EQ(mine.name, "by-dma");
  ASSERT_EQ(mine.phases.size(), 3U);
  double sum = 0;
  for (const auto& [key, us] : mine.phases) sum += us;
  EXPECT_NEAR(mine.time_us, sum, 1e-9 * sum);
  EXPECT_GT(mine.time_us, report.schemes[2].time_us) << "the ideal overlaps what this one does not";
  EXPECT_EQ(mine.speedup, report.schemes[0].time_us / mine.time_us);
}

TEST_F(OwnScheme, MayTakeAnotherAlgorithmAndGivesTheRightSums) {
  Config config = this->config();
  config.topology.kind = TopologyKind::fully_connected;
  for (const char* algorithm : {"direct", "bidirectional-ring", "ring"}) {
    const std::string said = std::string("algorithm: ") + algorithm;
    EXPECT_EQ(errors(config, "  - {launch: gemm, track: {array: c, " + said +
                                 "}, arbitration: mca}\n  - collective: all-gather\n"),
              0U)
        << algorithm;
    EXPECT_EQ(errors(config, "  - launch: gemm\n  - collective: {kind: exchange, " + said +
                                 "}\n  - collective: all-gather\n"),
              0U)
        << algorithm;
  }
}

TEST_F(OwnScheme, MayTakeAnotherPlan) {
  Config config = this->config();
  config.topology.kind = TopologyKind::fully_connected;
  const Scheme scheme = made(config,
                             "  - {launch: gemm, track: {array: c, plan: direct-reduce-scatter}}\n"
                             "  - collective: all-gather\n");
  EXPECT_EQ(scheme.phases[0].phase.tracked->name, "direct reduce-scatter");
  EXPECT_EQ(errors(config,
                   "  - {launch: gemm, track: {array: c, plan: direct-reduce-scatter}}\n"
                   "  - collective: all-gather\n"),
            0U);
}

TEST_F(OwnScheme, OfAnArrayApartMayExchangeBeforeTheGemm) {
  Config config = this->config();
  config.collective.gemm = GemmRole::independent;
  EXPECT_EQ(errors(config, "  - collective: exchange\n  - collective: all-gather\n  - launch: gemm\n"), 0U);
}

TEST_F(OwnScheme, DoesAllOfTheWorkInAnOrderThatCanBe) {
  EXPECT_EQ(refusal(config(), "  - collective: exchange\n  - launch: gemm\n"),
            "mine.yaml:3:5: exchanges c, which no stage before computes");
  EXPECT_EQ(refusal(config(), "  - launch: gemm\n  - collective: exchange\n"),
            "mine.yaml: the stages lack the all-gather, the second half of an all-reduce");
  EXPECT_EQ(refusal(config(), "  - launch: gemm\n"),
            "mine.yaml: the stages lack the exchange: collective.kind asks for reduce-scatter");
  EXPECT_EQ(refusal(config(), "  - launch: gemm\n  - collective: all-gather\n"),
            "mine.yaml:4:5: there are no sums to gather: an exchange of an all-reduce has to come before");
  EXPECT_EQ(refusal(config(), "  - {launch: gemm, track: other}\n"),
            "mine.yaml:3:5: track: here the collective is of c (collective.gemm)");
  EXPECT_EQ(refusal(config(), "  - launch: gemm\n  - launch: kernel\n"),
            "mine.yaml:4:5: launch: kernel has no collective beside it; say launch: gemm");
  Config gathered = config();
  gathered.collective = {CollectiveChoice::all_gather, CollectiveAlgorithm::ring, GemmRole::consumer, 0, ""};
  EXPECT_EQ(refusal(gathered, "  - launch: gemm\n  - collective: exchange\n"),
            "mine.yaml:3:5: the GEMM reads rows of a that no stage before gathers");
}

TEST_F(OwnScheme, MayNotAddToWhatNobodyHasZeroed) {
  Config config = this->config();
  config.collective.zero_init = ZeroInit::simulated;
  const std::string fused = "  - {launch: gemm, track: c}\n  - collective: all-gather\n";
  EXPECT_EQ(refusal(config, fused).substr(0, 59),
            "mine.yaml:3:5: adds to memory that nobody has zeroed (colle");
  EXPECT_EQ(errors(config, "  - zero: next\n" + fused), 0U);
}

TEST_F(OwnScheme, SaysWhichWordIsUnknown) {
  EXPECT_EQ(refusal(config(), "  - {launch: gemm, track: c, arbitration: mcaa}\n"),
            "mine.yaml:3:43: unknown arbitration \"mcaa\"; did you mean mca?");
  EXPECT_EQ(refusal(config(), "  - {launch: gemm, track: {array: c, algorithm: rng}}\n"),
            "mine.yaml:3:49: unknown algorithm \"rng\"; did you mean ring? allowed: ring, "
            "bidirectional-ring, direct, "
            "two-level");
}

TEST_F(OwnScheme, MayNotUseATimeKeyTwice) {
  Config config = this->config();
  config.collective.kind = CollectiveChoice::reduce_scatter;
  EXPECT_EQ(refusal(config, "  - {launch: gemm, time: rs_us}\n  - collective: exchange\n"),
            "mine.yaml:4:5: another stage has the time key rs_us already; say one of its own: time: ..._us");
  const Scheme scheme =
      made(config, "  - {launch: gemm, time: first_us, name: the first}\n  - collective: exchange\n");
  EXPECT_EQ(scheme.phases[0].time_key, "first_us");
  EXPECT_EQ(scheme.phases[0].name, "the first");
}

TEST_F(OwnScheme, DerivesATimeFromStagesThatAnotherOneHasRun) {
  const auto refused = [](const std::string& from, const std::string& stage) -> std::string {
    std::ofstream("ideal.yaml") << "name: x\nfrom: " + from + "\nstages:\n  - launch: gemm\n  - " + stage +
                                       "\n  - collective: all-gather\nderived: gemm + exchange\n";
    try {
      const Config config = OwnScheme::config();
      EXPECT_EQ(SchemeTable(config).scheme("ideal.yaml").runs, from);
    } catch (const InputError& e) {
      return e.what();
    }
    return "(accepted)";
  };
  EXPECT_EQ(refused("sequential", "collective: exchange"), "(accepted)");
  EXPECT_EQ(refused("t3", "collective: exchange"), "ideal.yaml: from: t3 does not run the stage gemm");
  EXPECT_EQ(refused("sequential", "collective: {kind: exchange, by: dma}"),
            "ideal.yaml: from: sequential does not run the stage reduce-scatter (nmc)");
  EXPECT_EQ(refused("ideal-rs-nmc", "collective: {kind: exchange, by: dma}"),
            "ideal.yaml: from: ideal-rs-nmc does not run the stage gemm");
}

TEST_F(OwnScheme, MayNotBeCalledAsAShippedOne) {
  std::ofstream("t3.yaml") << "name: x\nstages: [{launch: kernel}]\n";
  EXPECT_THROW(SchemeTable(config()).scheme("./t3.yaml"), InputError);
}

}  // namespace
}  // namespace t3sim
