#include <gtest/gtest.h>

#include "base/error.h"
#include "sweep/expression.h"

namespace t3sim::sweep {
namespace {

const KeyValues kValues{{"workload.m", "4096"},          {"gpus.count", "8"},
                        {"gpus.model", "mirror"},        {"topology.bandwidth", "75 GB/s"},
                        {"topology.latency", "500 ns"},  {"tracker.capacity", "unbounded"},
                        {"workload.order", "row-major"}, {"preset", "small"}};

bool holds(const std::string& text) { return Condition(text, {"where", 1, 1}).holds(kValues); }

std::string refusal(const std::string& text) {
  try {
    holds(text);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Conditions, compare_keys_with_numbers_and_words) {
  EXPECT_TRUE(holds("gpus.count <= 8"));
  EXPECT_FALSE(holds("gpus.count < 8"));
  EXPECT_TRUE(holds("gpus.model == mirror and preset != large"));
  EXPECT_TRUE(holds("workload.order == \"row-major\""));
  EXPECT_TRUE(holds("tracker.capacity == unbounded"));
  EXPECT_FALSE(holds("tracker.capacity == 4096"));
}

TEST(Conditions, arithmetic_binds_before_comparison_and_comparison_before_and_before_or) {
  EXPECT_TRUE(holds("2 + 3 * 4 == 14"));
  EXPECT_TRUE(holds("(2 + 3) * 4 == 20"));
  EXPECT_TRUE(holds("10 - 4 - 3 == 3"));
  EXPECT_TRUE(holds("workload.m % (128 * gpus.count) == 0"));
  EXPECT_TRUE(holds("1 == 1 or 1 == 2 and 1 == 3"));
  EXPECT_TRUE(holds("not 1 == 2 and 1e3 > 999"));
  EXPECT_TRUE(holds("-workload.m < 0"));
  EXPECT_TRUE(holds("max(workload.m, 5000) == 5000 and min(2 KiB, 3 KiB) == 2 KiB"));
}

TEST(Conditions, units_go_through_arithmetic) {
  EXPECT_TRUE(holds("topology.bandwidth >= 0.075 TB/s"));
  EXPECT_TRUE(holds("topology.latency == 0.5 us"));
  EXPECT_TRUE(holds("topology.bandwidth * topology.latency == 37.5 KB"));
  EXPECT_TRUE(holds("workload.m * 1 KiB / topology.bandwidth > 50 us"));
  EXPECT_TRUE(holds("topology.latency > 0"));
  EXPECT_EQ(refusal("topology.bandwidth < 50"),
            "where:1:20: where: \"<\" between a bandwidth and a plain number: units do not go together");
  EXPECT_EQ(refusal("topology.latency + 1 KB > 0"),
            "where:1:18: where: \"+\" between a time and a size: units do not go together");
}

TEST(Conditions, what_is_wrong_is_named_with_its_place) {
  EXPECT_EQ(refusal("gpus.cuont <= 8"),
            "where:1:1: where: unknown key \"gpus.cuont\"; did you mean gpus.count?");
  EXPECT_EQ(refusal("gpus.count <="),
            "where:1:14: where: expected a key, a value, -, not, min, max or (, found the end");
  EXPECT_EQ(refusal("gpus.count <= 8 9"), "where:1:17: where: expected an operator or the end, found \"9\"");
  EXPECT_EQ(refusal("(gpus.count <= 8"), "where:1:17: where: expected ), found the end");
  EXPECT_EQ(refusal("gpus.count"), "where:1:1: where: expected a comparison here, such as gpus.count <= 8");
  EXPECT_EQ(refusal("gpus.model < 8"), "where:1:1: where: expected a number, found \"mirror\"");
  EXPECT_EQ(refusal("gpus.count / 0 > 1"), "where:1:12: where: division by 0");
  EXPECT_EQ(refusal("5 parsec > 1"), "where:1:1: where: unknown unit \"parsec\"");
  EXPECT_EQ(refusal("gpus.model == mirorr"),
            "where:1:15: where: gpus.model is never \"mirorr\"; allowed: auto | mirror | explicit | message");
  EXPECT_EQ(refusal(std::string(200, '(') + "1"), "where:1:101: where: nested too deeply");
}

}  // namespace
}  // namespace t3sim::sweep
