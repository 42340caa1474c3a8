// Workgroups that share a tile's K: their steps, their order and where their parts go.
#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "kernel/small_gemm.h"

namespace t3sim {
namespace {

TEST(Gemm, SplitKSharesTheStepsOfATileBetweenWorkgroupsThatAddTheirParts) {
  GemmSpec spec = small_gemm({128, 128, 320});
  spec.split_k = 3;
  GemmKernel kernel(spec);
  ASSERT_EQ(kernel.workgroups(), 3U);
  std::size_t steps = 0;
  std::uint64_t useful = 0;
  for (std::uint32_t i = 0; i < 3; ++i) {
    const std::vector<Group> groups = groups_of(kernel, i);
    steps += groups.size();
    for (const Group& group : groups) useful += group.useful_flops;
    EXPECT_EQ(groups.back().stores.size(), 256U);
    for (const auto& run : groups.back().stores) EXPECT_TRUE(run.update);
  }
  EXPECT_EQ(steps, 10U);
  EXPECT_EQ(useful, 2ULL * 128 * 128 * 320);
}

TEST(Gemm, PartsOfSplitKGoToTheirWorkspace) {
  GemmSpec spec = small_gemm({128, 128, 128});
  spec.split_k = 2;
  spec.split_workspace = true;
  EXPECT_EQ(spec.workspace_bytes(), 2U * 128 * 128 * 4);
  spec.workspace_address = 1 << 30;
  GemmKernel kernel(spec);
  std::map<std::uint64_t, std::uint32_t> stores;
  for (const Group& group : all_groups(kernel)) count_sectors(group.stores, stores);
  EXPECT_EQ(stores.begin()->first, 1U << 30);
  EXPECT_EQ(stores.rbegin()->first, (1U << 30) + spec.workspace_bytes() - kSectorBytes);
  EXPECT_EQ(stores.size(), spec.workspace_bytes() / kSectorBytes);
}

TEST(Gemm, OfOnePartNeedsNoWorkspace) {
  GemmSpec spec = small_gemm({128, 128, 128});
  spec.split_workspace = true;
  EXPECT_EQ(spec.workspace_bytes(), 0U);
  GemmKernel kernel(spec);
  std::map<std::uint64_t, std::uint32_t> stores;
  for (const Group& group : all_groups(kernel)) count_sectors(group.stores, stores);
  EXPECT_EQ(stores.begin()->first, spec.c_address);
  EXPECT_EQ(stores.size(), 128U * 128 * 2 / kSectorBytes);
}

TEST(Gemm, PartsOfSplitKFollowOneAnotherOrComeAfterAllTiles) {
  GemmSpec spec = small_gemm({256, 256, 128});
  spec.split_k = 2;
  const auto tiles_and_parts = [&] {
    const GemmKernel kernel(spec);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
    for (std::uint32_t i = 0; i < kernel.workgroups(); ++i)
      order.emplace_back(kernel.tile(i), kernel.part(i));
    return order;
  };
  using Order = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  EXPECT_EQ(tiles_and_parts(), (Order{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {3, 0}, {3, 1}}));
  GemmKernel one_tile_first(spec);
  std::map<std::uint64_t, std::uint32_t> loads, same_loads;
  for (const Group& group : all_groups(one_tile_first)) count_sectors(group.loads, loads);
  spec.parts_last = true;
  EXPECT_EQ(tiles_and_parts(), (Order{{0, 0}, {1, 0}, {2, 0}, {3, 0}, {0, 1}, {1, 1}, {2, 1}, {3, 1}}));
  GemmKernel one_part_first(spec);
  for (const Group& group : all_groups(one_part_first)) count_sectors(group.loads, same_loads);
  EXPECT_EQ(loads, same_loads);
}

}  // namespace
}  // namespace t3sim
