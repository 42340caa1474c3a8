// What a workgroup of a collective kernel loads, adds and stores: a tile of 128 x 128 elements of two bytes, a few
// columns of 256 bytes at a time.
#include "gpu/chunk_kernel.h"

#include <gtest/gtest.h>

namespace t3sim {
namespace {

constexpr std::uint64_t kStride = 1 << 20;
constexpr std::uint64_t kTileBytes = 128 * 128 * 2;

// Two chunks of a tile each.
ChunkKernel kernel_of(const KernelStep& step, std::uint64_t bytes_per_group = 2048) {
  const TiledMatrix array{MatrixLayout(0, 256, 128, 2), TileGrid(256, 128, {128, 128, 8, 2})};
  return ChunkKernel({array, kStride, ChunkMap(array.grid, 2)}, {step}, 0, bytes_per_group);
}

KernelStep step_of(std::vector<std::uint8_t> reads) {
  KernelStep step;
  step.chunk = 1;
  step.reads = std::move(reads);
  return step;
}

std::vector<Group> groups_of(ChunkKernel& kernel) {
  std::vector<Group> groups;
  const auto program = kernel.program(0, nullptr);
  for (Group group; program->next(group); group = {}) groups.push_back(group);
  return groups;
}

std::uint64_t bytes_of(const std::vector<Run>& runs) {
  std::uint64_t bytes = 0;
  for (const Run& run : runs) bytes += run.bytes;
  return bytes;
}

TEST(AChunkKernel, LoadsSoManyBytesOfEachCopyAtATime) {
  for (const std::uint64_t bytes_per_group : {256U, 2048U, 8192U}) {
    ChunkKernel kernel = kernel_of(step_of({0, 1}), bytes_per_group);
    const std::vector<Group> groups = groups_of(kernel);
    EXPECT_EQ(groups.size(), kTileBytes / bytes_per_group);
    for (const Group& group : groups) {
      EXPECT_EQ(bytes_of(group.loads), 2 * bytes_per_group);
      EXPECT_EQ(bytes_of(group.stores), bytes_per_group);
    }
  }
}

TEST(AChunkKernel, AddsAColumnACycle) {
  ChunkKernel kernel = kernel_of(step_of({0, 1}));
  for (const Group& group : groups_of(kernel)) EXPECT_EQ(group.cycles, 8U);
}

TEST(AChunkKernel, ReadsEachCopyInItsArray) {
  ChunkKernel kernel = kernel_of(step_of({0, 2}));
  std::uint64_t first = 0, third = 0;
  for (const Group& group : groups_of(kernel))
    for (const auto& run : group.loads) (run.address < kStride ? first : third) += run.bytes;
  EXPECT_EQ(first, kTileBytes);
  EXPECT_EQ(third, kTileBytes);
}

TEST(AChunkKernel, WaitsOnceForWhatItsStepWaitsFor) {
  KernelStep step = step_of({0, 1});
  step.waits_for = 3;
  ChunkKernel kernel = kernel_of(step);
  const std::vector<Group> groups = groups_of(kernel);
  EXPECT_TRUE(groups.front().wait);
  EXPECT_EQ(groups.front().wait_step, 3U);
  EXPECT_EQ(groups.front().wait_tile, 1U);
  for (std::size_t i = 1; i < groups.size(); ++i) EXPECT_FALSE(groups[i].wait);
}

// Updates that come past the L2 must find them in memory.
TEST(AChunkKernel, WritesZerosPastTheL2AndSumsIntoIt) {
  EXPECT_TRUE(kernel_of(step_of({})).route(0, 1).uncached);
  EXPECT_FALSE(kernel_of(step_of({0, 1})).route(0, 1).uncached);
}

}  // namespace
}  // namespace t3sim
