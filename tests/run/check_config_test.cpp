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

// Its parts are another kernel's to add up, which schemes have none of.
TEST(ASplitKWorkspace, IsRunByTheSchemeKernelAlone) {
  Config config = small_config(4, 512, 256, 64, GpuModel::mirror);
  config.workload.split_workspace = true;
  config.schemes = {shipped::t3};
  EXPECT_EQ(refusal(config), "");
  config.workload.split_k = 2;
  EXPECT_NE(refusal(config).find("only the scheme kernel"), std::string::npos) << refusal(config);
  config.schemes = {shipped::kernel};
  EXPECT_EQ(refusal(config), "");
}

// Nothing crosses between slices in zero time.
TEST(AnL2, HasAWayBetweenItsPartitionsOrToItsMemorySideCache) {
  Config config = small_config(4, 512, 256, 64, GpuModel::mirror);
  config.schemes = {shipped::t3};
  config.l2.partitions = 2;
  EXPECT_NE(refusal(config).find("l2.partition_latency_cycles"), std::string::npos) << refusal(config);
  config.l2.partition_latency_cycles = 1;
  EXPECT_EQ(refusal(config), "");
  config.l2.partitions = 1;
  config.l2.memory_side.size_bytes = config.l2.size_bytes;
  config.l2.memory_side.ways = config.l2.ways;
  EXPECT_EQ(refusal(config), "");
  config.l2.partition_latency_cycles = 0;
  EXPECT_NE(refusal(config).find("l2.partition_latency_cycles"), std::string::npos) << refusal(config);
}

}  // namespace
}  // namespace t3sim
