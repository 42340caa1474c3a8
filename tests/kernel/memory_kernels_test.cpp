// Workgroups of kernels that memory bounds: as many wavefronts as a machine's threads make of them.
#include <gtest/gtest.h>

#include "kernel/embedding_kernel.h"
#include "kernel/gemv_kernel.h"
#include "kernel/sum_tile_kernel.h"

namespace t3sim {
namespace {

EmbeddingSpec bags_of_1_KiB(std::uint32_t thread_bytes, std::uint32_t wavefront_threads) {
  EmbeddingSpec spec;
  spec.to.row_bytes = 1024;
  spec.thread_bytes = thread_bytes;
  spec.wavefront_threads = wavefront_threads;
  return spec;
}

TEST(EmbeddingKernels, HaveAWorkgroupOfAsManyThreadsAsARowHasParts) {
  const auto wavefronts = [](std::uint32_t thread_bytes, std::uint32_t threads) {
    return EmbeddingKernel(bags_of_1_KiB(thread_bytes, threads), TileWalk{}).traits().wavefronts;
  };
  EXPECT_EQ(wavefronts(16, 32), 2U);
  EXPECT_EQ(wavefronts(16, 64), 1U);
  EXPECT_EQ(wavefronts(4, 64), 4U);  // PyTorch's on AMD's GPUs
}

TEST(EmbeddingKernels, TakeRegistersByThread) {
  const auto bytes = [](std::uint32_t threads) {
    return EmbeddingKernel(bags_of_1_KiB(16, threads), TileWalk{}).traits().register_bytes;
  };
  EXPECT_EQ(bytes(64), bytes(32));
  EXPECT_EQ(bytes(64), 64U * 32 * 4);
}

TEST(GemvKernels, ReadLongerStepsWhereAWavefrontHasMoreThreads) {
  GemvSpec spec;
  spec.unroll = 4;
  EXPECT_EQ(GemvKernel(spec, TileWalk{}).step_bytes(), 32U * 16 * 4);
  spec.wavefront_threads = 64;
  EXPECT_EQ(GemvKernel(spec, TileWalk{}).step_bytes(), 64U * 16 * 4);
}

TEST(SumKernelsInTiles, HaveAsManyThreadsWhateverAWavefrontHas) {
  const auto traits = [](std::uint32_t threads) {
    const SumTileSpec spec{{}, {}, TileGrid(128, 1024, {128, 1024, 1, 2, true}), 2, threads};
    return SumTileKernel(spec, TileWalk{}).traits();
  };
  EXPECT_EQ(traits(32).wavefronts, 4U);
  EXPECT_EQ(traits(64).wavefronts, 2U);
  EXPECT_EQ(traits(64).register_bytes, traits(32).register_bytes);
}

}  // namespace
}  // namespace t3sim
