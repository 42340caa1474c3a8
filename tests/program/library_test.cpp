// The programs that t3sim brings along.
#include "program/library.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "draws.h"
#include "program/check.h"
#include "program/dependences.h"

namespace t3sim::program_library {
namespace {

class Shipped : public testing::TestWithParam<std::string> {};

TEST_P(Shipped, IsFreeOfFaultsOnTwoToEightGpus) {
  for (const std::uint32_t gpus : few({2U, 4U, 8U}, 2)) {
    program::Setting setting;
    setting.gpus = gpus;
    const program::Program loaded = load(GetParam(), setting);
    EXPECT_EQ(check_dependences(loaded), program::Closeness::tiles);
  }
}

// Rows that are no multiple of GPUs, communication tiles or tiles.
TEST(Uneven, FluxAndItsRivalsAreFreeOfFaultsOn2To16Gpus) {
  for (const char* name :
       {"all-gather-gemm", "all-gather-gemm-push", "gemm-reduce-scatter", "gemm-reduce-scatter-add",
        "medium-grained-all-gather-gemm", "medium-grained-gemm-reduce-scatter"})
    for (const std::uint32_t gpus : {2U, 3U, 7U, 16U})
      for (const std::int64_t m : {64, 1000, 1111}) {
        program::Setting setting;
        setting.gpus = gpus;
        setting.parameters = {{"m", m}, {"n", 256}, {"k", 256}};
        EXPECT_NO_THROW(load(name, setting)) << name << ", " << gpus << " GPUs, m = " << m;
      }
}

INSTANTIATE_TEST_SUITE_P(Programs, Shipped, testing::ValuesIn(names()), [](const auto& shipped) {
  std::string name = shipped.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace t3sim::program_library
