// What a run makes of its phases: the time of a scheme, its speed-up, the two ideals. From real runs, so that the
// order of phases and the names under which they are found count too.
#include <gtest/gtest.h>

#include <algorithm>

#include "machine/small_cluster.h"
#include "results/progress.h"
#include "run/run_schemes.h"

namespace t3sim {
namespace {

RunReport report_of(const Config& config) {
  Progress silent(Progress::Mode::silent);
  return run_schemes(config, {}, silent);
}

const SchemeResult& scheme(const RunReport& report, std::string_view name) {
  return *std::ranges::find(report.schemes, name, &SchemeResult::name);
}

double phase_us(const SchemeResult& result, std::string_view key) {
  const auto found = std::ranges::find(result.phases, key, &std::pair<std::string, double>::first);
  return found == result.phases.end() ? -1 : found->second;
}

double sum_of_phases(const SchemeResult& result) {
  double sum = 0;
  for (const auto& [key, us] : result.phases) sum += us;
  return sum;
}

Config five_schemes(std::uint32_t k, std::uint64_t link_Bps) {
  Config config = small_config(4, 512, 256, k, GpuModel::mirror);
  config.topology.link.bandwidth_Bps = link_Bps;
  config.schemes = {shipped::sequential, shipped::t3, shipped::t3_mca, shipped::ideal_overlap,
                    shipped::ideal_rs_nmc};
  return config;
}

// A GEMM that takes longer than its reduce-scatter, and one that does not.
const RunReport& bound_by_gemm() {
  static const RunReport report = report_of(five_schemes(2048, 75'000'000'000));
  return report;
}
const RunReport& bound_by_links() {
  static const RunReport report = report_of(five_schemes(64, 10'000'000'000));
  return report;
}

TEST(SchemeArithmetic, ASimulatedSchemeTakesTheSumOfItsPhases) {
  for (const RunReport* report : {&bound_by_gemm(), &bound_by_links()})
    for (const char* name : {"sequential", "t3", "t3-mca"}) {
      const SchemeResult& result = scheme(*report, name);
      EXPECT_EQ(result.phases.size(), name == std::string_view("sequential") ? 3U : 2U);
      EXPECT_NEAR(result.time_us, sum_of_phases(result), 1e-9 * result.time_us) << name;
      for (const auto& [key, us] : result.phases) EXPECT_GT(us, 0) << name << " " << key;
    }
}

TEST(SchemeArithmetic, ASpeedUpIsSequentialTimeOverOwnTime) {
  for (const RunReport* report : {&bound_by_gemm(), &bound_by_links()}) {
    const double sequential = scheme(*report, "sequential").time_us;
    for (const SchemeResult& result : report->schemes)
      EXPECT_DOUBLE_EQ(result.speedup, sequential / result.time_us) << result.name;
    EXPECT_EQ(scheme(*report, "sequential").speedup, 1);
    EXPECT_GT(scheme(*report, "ideal-overlap").speedup, 1.05);  // so that its inverse is something else
  }
}

// Its phases are those of the sequential scheme, except that nothing is left over when the all-gather begins.
TEST(SchemeArithmetic, IdealOverlapTakesTheLongerOfGemmAndReduceScatterAndTheAllGather) {
  for (const RunReport* report : {&bound_by_gemm(), &bound_by_links()}) {
    const SchemeResult& ideal = scheme(*report, "ideal-overlap");
    const SchemeResult& sequential = scheme(*report, "sequential");
    const double gemm = phase_us(ideal, "gemm_us"), rs = phase_us(ideal, "rs_us");
    const bool by_gemm = report == &bound_by_gemm();
    EXPECT_GT(by_gemm ? gemm : rs, 1.2 * (by_gemm ? rs : gemm));
    EXPECT_NEAR(ideal.time_us, (by_gemm ? gemm : rs) + phase_us(ideal, "ag_us"), 1e-9 * ideal.time_us);
    EXPECT_EQ(gemm, phase_us(sequential, "gemm_us"));
    EXPECT_EQ(rs, phase_us(sequential, "rs_us"));
    EXPECT_EQ(phase_us(ideal, "ag_us"), phase_us(sequential, "ag_us"));
  }
}

TEST(SchemeArithmetic, IdealRsNmcTakesTheLongerOfGemmAndNearMemoryReduceScatterAndTheAllGather) {
  for (const RunReport* report : {&bound_by_gemm(), &bound_by_links()}) {
    const SchemeResult& ideal = scheme(*report, "ideal-rs-nmc");
    const double gemm = phase_us(ideal, "gemm_us"), rs = phase_us(ideal, "rs_us");
    EXPECT_NEAR(ideal.time_us, std::max(gemm, rs) + phase_us(ideal, "ag_us"), 1e-9 * ideal.time_us);
    EXPECT_LT(rs, phase_us(scheme(*report, "sequential"), "rs_us"));
  }
}

// Each phase of the ideals is a run alone: the same as when nothing else is asked for.
TEST(SchemeArithmetic, PhasesOfTheIdealsAreRunsOfTheirOwn) {
  const Config config = five_schemes(64, 10'000'000'000);
  const SchemeResult& rs_nmc = scheme(bound_by_links(), "ideal-rs-nmc");
  EXPECT_EQ(phase_us(rs_nmc, "gemm_us"), run_phase(config, gemm_phase()).time_us);
  EXPECT_EQ(phase_us(rs_nmc, "rs_us"), run_phase(config, near_memory_phase()).time_us);
  EXPECT_EQ(phase_us(rs_nmc, "ag_us"), run_phase(config, gather_phase()).time_us);
}

TEST(SchemeArithmetic, BytesAreTheSumsOverPhases) {
  const std::uint64_t s = 512 * 256 * 2, sent = 2 * s * 3 / 4;
  for (const SchemeResult& result : bound_by_links().schemes)
    EXPECT_EQ(result.link_bytes, sent) << result.name;
}

double of_component(const RunReport& report, std::string_view phase, std::string_view component,
                    std::string_view name) {
  double sum = 0;
  for (const StatRow& row : report.stats)
    if (row.scheme == "sequential" && row.phase == phase && row.component.starts_with(component) &&
        row.name == name)
      sum += std::visit([](auto value) { return static_cast<double>(value); }, row.value);
  return sum;
}

// What the GEMM has left dirty goes to memory beside the kernel that follows it, all of it, and not before.
TEST(Leftovers, OfTheGemmAreWrittenBackBesideTheReduceScatter) {
  const RunReport& report = bound_by_links();
  const double left = of_component(report, "gemm", "gpu", "left_dirty");
  EXPECT_GT(left, 0);
  EXPECT_EQ(of_component(report, "gemm", "channel[", "gemm_write_bytes") + left, 512 * 256 * 2);
  EXPECT_EQ(of_component(report, "reduce-scatter", "channel[", "gemm_write_bytes"), left);
  EXPECT_EQ(of_component(report, "all-gather", "channel[", "gemm_write_bytes"), 0);
}

}  // namespace
}  // namespace t3sim
