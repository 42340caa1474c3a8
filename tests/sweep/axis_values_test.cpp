#include <gtest/gtest.h>

#include "base/error.h"
#include "config/load.h"
#include "sweep/axis_values.h"

namespace t3sim::sweep {
namespace {

using Texts = std::vector<std::string>;

Texts values(const std::string& path, const std::string& yaml) {
  Texts texts;
  for (const config::Node& node : axis_values(path, config::parse_yaml(yaml, "axis")))
    texts.push_back(node.scalar);
  return texts;
}

std::string refusal(const std::string& path, const std::string& yaml) {
  try {
    values(path, yaml);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(AxisValues, a_list_is_taken_as_it_is) {
  EXPECT_EQ(values("topology.bandwidth", "[75 GB/s, 150 GB/s]"), (Texts{"75 GB/s", "150 GB/s"}));
  EXPECT_EQ(values("gpus.model", "[mirror, explicit]"), (Texts{"mirror", "explicit"}));
  EXPECT_EQ(values("gpus.count", "8"), (Texts{"8"}));
}

TEST(AxisValues, steps_go_up_to_the_end_and_not_past_it) {
  EXPECT_EQ(values("gpus.count", "{from: 2, to: 8, step: 2}"), (Texts{"2", "4", "6", "8"}));
  EXPECT_EQ(values("gpus.count", "{from: 2, to: 7, step: 2}"), (Texts{"2", "4", "6"}));
  EXPECT_EQ(values("topology.bandwidth", "{from: 50 GB/s, to: 0.2 TB/s, step: 50 GB/s}"),
            (Texts{"50 GB/s", "100 GB/s", "150 GB/s", "200 GB/s"}));
  EXPECT_EQ(values("gpu.matrix_issue_efficiency", "{from: 0.1, to: 0.4, step: 0.1}"),
            (Texts{"0.1", "0.2", "0.3", "0.4"}));
}

TEST(AxisValues, log_ranges_have_equal_ratios_and_both_ends) {
  EXPECT_EQ(values("workload.k", "{from: 64, to: 1024, points: 5, scale: log}"),
            (Texts{"64", "128", "256", "512", "1024"}));
  EXPECT_EQ(values("topology.latency", "{from: 100 ns, to: 10 us, points: 3, scale: log}"),
            (Texts{"100 ns", "1 us", "10 us"}));
  EXPECT_EQ(values("workload.k", "{from: 10, to: 30, points: 3}"), (Texts{"10", "20", "30"}));
}

TEST(AxisValues, multiples_round_and_equal_values_count_once) {
  EXPECT_EQ(values("workload.m", "{from: 128, to: 512, points: 4, scale: log, multiple: 128}"),
            (Texts{"128", "256", "384", "512"}));
  EXPECT_EQ(values("workload.m", "{from: 128, to: 256, points: 9, multiple: 128}"), (Texts{"128", "256"}));
}

TEST(AxisValues, what_is_wrong_is_named_with_its_place) {
  EXPECT_EQ(refusal("gpus.count", "{from: 2, to: 8, stp: 2}"),
            "axis:1:18: gpus.count: unknown key \"stp\" of a range; did you mean step?");
  EXPECT_EQ(refusal("gpus.count", "{from: 8, to: 2, step: 2}"),
            "axis:1:15: gpus.count: `to` is below `from`");
  EXPECT_EQ(refusal("gpus.count", "{from: 2, to: 8}"),
            "axis:1:1: gpus.count: a range needs `step` or `points`");
  EXPECT_EQ(refusal("gpus.count", "{from: 2, to: 8, step: 0}"),
            "axis:1:24: gpus.count: `step` must not be 0");
  EXPECT_EQ(refusal("gpus.count", "{from: 0, to: 8, points: 3, scale: log}"),
            "axis:1:8: gpus.count: a log range starts above 0");
  EXPECT_EQ(refusal("gpus.count", "[]"), "axis:1:1: gpus.count: the list of values is empty");
  EXPECT_EQ(refusal("gpus.model", "{from: 1, to: 2, step: 1}"),
            "axis:1:8: gpus.model: a range needs numbers, but this key is a choice");
  EXPECT_NE(refusal("topology.bandwidth", "{from: 50, to: 60 GB/s, step: 5 GB/s}").find("has no unit"),
            std::string::npos);
}

}  // namespace
}  // namespace t3sim::sweep
