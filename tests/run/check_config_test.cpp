// What one key alone cannot decide.
#include "run/check_config.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "machine/small_cluster.h"
#include "tracker/tracker.h"

namespace t3sim {
namespace {

std::string refusal(Config config) {
  try {
    check_config(config, config::Sources("a.yaml"));
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

// A set that does not hold the wavefronts of one workgroup: it would wait for itself.
TEST(ATracker, MustHoldAWholeWorkgroupInEachSet) {
  Config config = small_config(4, 512, 256, 64, GpuModel::mirror);
  config.schemes = {shipped::t3};
  for (const std::uint32_t wavefronts : {4U, 8U}) {
    config.workload.wavefronts = wavefronts;
    config.tracker.capacity = std::uint64_t{kTrackerSets} * wavefronts;
    EXPECT_EQ(refusal(config), "");
    config.tracker.capacity = std::uint64_t{kTrackerSets} * (wavefronts - 1);
    EXPECT_NE(refusal(config).find("tracker.capacity"), std::string::npos);
  }
}

TEST(ATracker, HasAsManyWaysInEverySet) {
  Config config = small_config(4, 512, 256, 64, GpuModel::mirror);
  config.schemes = {shipped::t3};
  config.tracker.capacity = std::uint64_t{kTrackerSets} * 8 + 1;
  EXPECT_NE(refusal(config).find("tracker.capacity"), std::string::npos);
}

}  // namespace
}  // namespace t3sim
