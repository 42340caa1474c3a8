// Zeros, and the operation that follows: which chunks of which arrays, on which GPU.
#include "plan/local_kernels.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "plan/plan_library.h"

namespace t3sim {
namespace {

using Places = std::set<std::pair<unsigned, std::uint32_t>>;  // array and chunk

Places written(const KernelPlan& plan, std::uint32_t gpu) {
  Places places;
  for (const KernelStep& step : plan.gpus[gpu]) {
    EXPECT_EQ(step.gpu, gpu) << "nothing is sent";
    EXPECT_TRUE(places.emplace(step.array, step.chunk).second) << "once each";
  }
  return places;
}

TEST(Zeros, AreWrittenToTheChunksThatGetUpdates) {
  const KernelPlan ring = kernel_zeros(plan_library::load("ring-reduce-scatter", 4), 1);
  EXPECT_EQ(written(ring, 1), (Places{{0, 0}, {0, 2}, {0, 3}})) << "chunk 1 goes straight to the neighbour";
  const KernelPlan direct = kernel_zeros(plan_library::load("direct-reduce-scatter", 4), 1);
  EXPECT_EQ(written(direct, 1), (Places{{0, 1}}));
  for (const KernelStep& step : ring.gpus[1]) EXPECT_TRUE(step.reads.empty());
}

TEST(Zeros, AreNotWrittenToWhatIsOverwrittenOrThereBefore) {
  EXPECT_TRUE(written(kernel_zeros(plan_library::load("all-to-all", 4), 1), 1).empty());
  EXPECT_FALSE(written(kernel_zeros(plan_library::load("all-to-all", 4), 2), 1).empty()) << "split-K adds up";
  EXPECT_TRUE(written(kernel_zeros(plan_library::load("ring-reduce-scatter-dma", 4), 1), 1).empty());
}

TEST(AFollowingOperation, IsDoneWhereTheAllGatherBegins) {
  for (const auto& [gather, own] : {std::pair{kernel_ring_all_gather(4), Places{{0, 1}}},
                                    {kernel_direct_all_gather(4), Places{{0, 2}}},
                                    {kernel_bidirectional_all_gather(4), Places{{0, 1}, {0, 7}}}}) {
    const KernelPlan plan = near_memory_following(gather, {3, 2});
    EXPECT_EQ(written(plan, 2), own);
    for (const KernelStep& step : plan.gpus[2]) {
      EXPECT_EQ(step.reads, (std::vector<std::uint8_t>{3, 4})) << "the sum is not read";
      EXPECT_TRUE(step.update);
    }
  }
}

TEST(AFollowingOperation, IsDoneOnEverythingByEveryGpuAsAKernel) {
  const KernelPlan plan = kernel_following(3, {1, 1});
  for (std::uint32_t gpu = 0; gpu < 3; ++gpu) EXPECT_EQ(written(plan, gpu), (Places{{0, 0}, {0, 1}, {0, 2}}));
  EXPECT_EQ(plan.gpus[0][0].reads, (std::vector<std::uint8_t>{0, 1}));
  EXPECT_FALSE(plan.gpus[0][0].update);
}

TEST(UpdatesOfMemory, AreThoseThatTheTrackerCountsLessStores) {
  for (const char* name :
       {"ring-reduce-scatter", "direct-reduce-scatter", "bidirectional-ring-reduce-scatter"})
    for (const std::uint32_t split_k : {1U, 3U}) {
      const CollectivePlan plan = plan_library::load(name, 4);
      for (std::uint32_t g = 0; g < 4; ++g) {
        const std::vector<MemoryUpdates> updates = memory_updates(plan, g, split_k);
        for (std::uint32_t c = 0; c < plan.chunks; ++c)
          EXPECT_EQ(updates[c].own + updates[c].arriving, plan.at(g, 0, c).updates(split_k)) << name << c;
      }
    }
  for (const MemoryUpdates& none : memory_updates(plan_library::load("all-to-all", 4), 0, 1))
    EXPECT_EQ(none.own + none.arriving, 0U);
}

}  // namespace
}  // namespace t3sim
