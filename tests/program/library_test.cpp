// The programs that t3sim brings along.
#include "program/library.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "program/check.h"
#include "program/dependences.h"

namespace t3sim::program_library {
namespace {

class Shipped : public testing::TestWithParam<std::string> {};

TEST_P(Shipped, IsFreeOfFaultsOnTwoToEightGpus) {
  for (const std::uint32_t gpus : {2U, 4U, 8U}) {
    program::Setting setting;
    setting.gpus = gpus;
    const program::Program loaded = load(GetParam(), setting);
    EXPECT_EQ(check_dependences(loaded), program::Closeness::tiles);
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, Shipped, testing::ValuesIn(names()), [](const auto& shipped) {
  std::string name = shipped.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace t3sim::program_library
