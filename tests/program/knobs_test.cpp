// What of a program is to be tuned.
#include "program/knobs.h"

#include <gtest/gtest.h>

#include "program/library.h"

namespace t3sim::program {
namespace {

using Values = std::vector<std::int64_t>;

std::vector<Knob> knobs_of(const char* name, std::map<std::string, std::int64_t> parameters) {
  Setting setting;
  setting.gpus = 8;
  setting.parameters = std::move(parameters);
  return knobs(program_library::read(name), setting);
}

TEST(Knobs, OfFluxsAllGatherAreItsTilesFromAShardDownToTheGemmsByHalvesAndItsOrder) {
  const std::vector<Knob> found = knobs_of("all-gather-gemm", {{"m", 8192}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].parameter, "rows");
  EXPECT_EQ(found[0].values, (Values{1024, 512, 256, 128}));
  EXPECT_EQ(found[1].parameter, "shift");
  EXPECT_EQ(found[1].values, (Values{1, 0}));
}

TEST(Knobs, ThatAreOddOrSmallHaveNoHalves) {
  EXPECT_EQ(knobs_of("all-gather-gemm", {{"m", 8 * 129}})[0].values, (Values{129}));
  EXPECT_EQ(knobs_of("all-gather-gemm", {{"m", 64}})[0].values, (Values{8}));
}

TEST(Knobs, ThatTheUserSetsAreNone) {
  EXPECT_EQ(knobs_of("all-gather-gemm", {{"rows", 256}}).size(), 1U);
  EXPECT_TRUE(knobs_of("gather-then-gemm", {}).empty());
}

}  // namespace
}  // namespace t3sim::program
