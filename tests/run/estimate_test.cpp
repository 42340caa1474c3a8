// What --dry-run says of a run is within a factor of two of what the run takes.
#include "run/estimate.h"

#include <gtest/gtest.h>

#include "config/config.h"
#include "draws.h"
#include "run/check_config.h"
#include "run/run_schemes.h"
#include "run/scheme_table.h"

namespace t3sim {
namespace {

Config config_of(const std::string& text) {
  Config config;
  config::Node root = config::load_file("<t3sim>/configs/paper/machine.yaml").root;
  merge(root, config::parse_yaml(text, "test"));
  const config::Sources sources = config::read(root, config);
  settle_config(config, sources);
  check_config(config, sources);
  return config;
}

void expect_close(const std::string& text) {
  const Config config = config_of(text);
  const RunEstimate said = estimate(config);
  const auto events = static_cast<double>(run_point(config).events);
  EXPECT_GT(static_cast<double>(said.events), 0.5 * events) << text;
  EXPECT_LT(static_cast<double>(said.events), 2 * events) << text;
}

TEST(Estimate, IsWithinAFactorOfTwoOfTheEvents) {
  T3_SKIP_IF_SANITIZED();
  expect_close("workload: {m: 1024, n: 512, k: 128}");
  expect_close("{workload: {m: 512, n: 1024, k: 1024}, schemes: [sequential, t3-mca]}");
  expect_close("{workload: {m: 2048, n: 512, k: 64}, gpus: {count: 4, model: explicit}, schemes: [t3]}");
}

TEST(Estimate, CountsTheLinesThatWorkgroupsLoad) {
  const RunEstimate said = estimate(config_of("workload: {m: 1024, n: 128, k: 64}"));
  EXPECT_EQ(said.input_lines, 8u * (128 + 128) * 64 * 2 / 128);
  EXPECT_EQ(said.output_lines, 1024u * 128 * 2 / 128);
}

TEST(Estimate, MoreGpusThatAreSimulatedCostMore) {
  const auto of = [](const char* model) {
    return estimate(config_of(std::string("{workload: {m: 512, n: 128, k: 64}, gpus: {count: 4, model: ") +
                              model + "}}"));
  };
  EXPECT_EQ(of("explicit").events, 4 * of("mirror").events);
  EXPECT_GT(of("explicit").memory_bytes, of("mirror").memory_bytes);
}

// So phases that run side by side begin in this order.
TEST(Estimate, FusedPhasesTakeMostThenGemmsThenCollectives) {
  const Config config = config_of("{workload: {m: 8192, n: 4256, k: 2128}, schemes: [sequential, t3]}");
  const SchemeTable table(config);
  const auto of = [&](const char* scheme, std::size_t phase) {
    return estimated_events(config, table.scheme(scheme).phases.at(phase).phase);
  };
  EXPECT_GT(of("t3", 0), of("sequential", 0));
  EXPECT_GT(of("sequential", 0), of("sequential", 1));
  EXPECT_GT(of("sequential", 1), of("sequential", 2));
  EXPECT_GT(of("sequential", 2), 0);
}

}  // namespace
}  // namespace t3sim
