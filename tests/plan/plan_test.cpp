// Plans, played through without time: does every chunk get every GPU's contribution exactly once?
#include "plan/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace t3sim {
namespace {

using Contributions = std::vector<unsigned>;  // by GPU: how often its partial result is in a copy

Contributions& operator+=(Contributions& a, const Contributions& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

// One copy of a chunk on one GPU.
struct Copy {
  Contributions sum;
  unsigned local = 0, remote = 0;  // updates received
  bool forwarded = false;
};

// The ring as Tracker and DMA engine would run it: producers first, then whatever is complete is forwarded.
class TrackedRing {
 public:
  TrackedRing(std::uint32_t gpus, PlanFunction plan_of)
      : gpus_(gpus), copies_(gpus, std::vector<Copy>(gpus, Copy{Contributions(gpus), 0, 0, false})) {
    for (std::uint32_t g = 0; g < gpus; ++g) plans_.push_back(plan_of(gpus, g));
  }
  // The GEMM's stores, near memory.
  void produce() {
    for (std::uint32_t g = 0; g < gpus_; ++g)
      for (std::uint32_t c : plans_[g].order) {
        const ChunkPlan& chunk = plans_[g].chunks[c];
        if (chunk.producer == ChunkPlan::Producer::none) continue;
        const bool remote = chunk.producer == ChunkPlan::Producer::remote;
        Copy& copy = copies_[remote ? chunk.destination : g][c];
        ++copy.sum[g];
        ++(remote ? copy.remote : copy.local);
      }
  }
  // The GEMM has run before: every GPU has its partial result in memory.
  void preload() {
    for (std::uint32_t g = 0; g < gpus_; ++g)
      for (std::uint32_t c = 0; c < gpus_; ++c) ++copies_[g][c].sum[g];
  }
  void forward() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t g = 0; g < gpus_; ++g)
        for (std::uint32_t c = 0; c < gpus_; ++c) moved = forward(g, c) || moved;
    }
  }
  const GpuPlan& plan(std::uint32_t gpu) const { return plans_[gpu]; }
  const Copy& copy(std::uint32_t gpu, std::uint32_t chunk) const { return copies_[gpu][chunk]; }

 private:
  bool forward(std::uint32_t g, std::uint32_t c) {
    const ChunkPlan& chunk = plans_[g].chunks[c];
    Copy& copy = copies_[g][c];
    if (!chunk.dma || copy.forwarded) return false;
    if (copy.local < chunk.local_updates || copy.remote < chunk.remote_updates) return false;
    if (chunk.updates() == 0 && !chunk.ready_at_start) return false;
    copy.forwarded = true;
    Copy& there = copies_[chunk.destination][c];
    there.sum += copy.sum;
    ++there.remote;
    return true;
  }

  std::uint32_t gpus_;
  std::vector<GpuPlan> plans_;
  std::vector<std::vector<Copy>> copies_;  // by GPU and chunk
};

class Rings : public testing::TestWithParam<std::uint32_t> {
 protected:
  std::uint32_t gpus() const { return GetParam(); }
  std::uint32_t owner(std::uint32_t chunk) const {
    return (chunk + 1) % gpus();
  }  // GPU r ends with chunk r - 1

  void expect_reduced(const TrackedRing& ring) const {
    for (std::uint32_t c = 0; c < gpus(); ++c) {
      EXPECT_EQ(ring.copy(owner(c), c).sum, Contributions(gpus(), 1)) << "chunk " << c;
      EXPECT_FALSE(ring.plan(owner(c)).chunks[c].dma) << "the owner keeps chunk " << c;
    }
  }
  // Every update that is sent is expected, and every one that is expected is sent.
  void expect_thresholds_met(const TrackedRing& ring) const {
    for (std::uint32_t g = 0; g < gpus(); ++g)
      for (std::uint32_t c = 0; c < gpus(); ++c) {
        const ChunkPlan& plan = ring.plan(g).chunks[c];
        EXPECT_EQ(ring.copy(g, c).local, plan.local_updates) << "GPU " << g << " chunk " << c;
        EXPECT_EQ(ring.copy(g, c).remote, plan.remote_updates) << "GPU " << g << " chunk " << c;
        EXPECT_EQ(ring.copy(g, c).forwarded, plan.dma) << "GPU " << g << " chunk " << c;
      }
  }
};

TEST_P(Rings, FusedReduceScatterAddsEveryContributionExactlyOnce) {
  TrackedRing ring(gpus(), fused_ring_reduce_scatter);
  ring.produce();
  ring.forward();
  expect_reduced(ring);
  expect_thresholds_met(ring);
}

TEST_P(Rings, DmaReduceScatterAddsEveryContributionExactlyOnce) {
  TrackedRing ring(gpus(), dma_ring_reduce_scatter);
  ring.preload();
  ring.forward();
  expect_reduced(ring);
  expect_thresholds_met(ring);
}

TEST_P(Rings, ProduceEveryChunkOnceBeginningWithTheOneThatGoesToTheNeighbour) {
  for (std::uint32_t g = 0; g < gpus(); ++g) {
    const GpuPlan plan = fused_ring_reduce_scatter(gpus(), g);
    std::vector<std::uint32_t> sorted = plan.order;
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::uint32_t> all(gpus());
    std::iota(all.begin(), all.end(), 0U);
    EXPECT_EQ(sorted, all);
    EXPECT_EQ(plan.order.front(), g);
    EXPECT_EQ(plan.chunks[g].producer, ChunkPlan::Producer::remote);
    EXPECT_EQ(plan.chunks[g].updates(), 0);
  }
}

// What the neighbour upstream has produced at a position arrives when this GPU produces that chunk itself.
TEST_P(Rings, StaggerTheGpusByOneChunk) {
  for (std::uint32_t g = 0; g < gpus(); ++g) {
    const GpuPlan mine = fused_ring_reduce_scatter(gpus(), g);
    const GpuPlan downstream = fused_ring_reduce_scatter(gpus(), ring_next(gpus(), g));
    for (std::uint32_t p = 0; p + 1 < gpus(); ++p) EXPECT_EQ(mine.order[p], downstream.order[p + 1]);
  }
}

// Kernels, step by step: a step reads what the neighbour upstream has sent in the step before.
TEST_P(Rings, KernelReduceScatterAddsEveryContributionExactlyOnce) {
  const std::uint32_t n = gpus();
  std::vector<std::vector<Contributions>> output(n, std::vector<Contributions>(n, Contributions(n)));
  auto received = output;
  for (std::uint32_t g = 0; g < n; ++g)
    for (std::uint32_t c = 0; c < n; ++c) output[g][c][g] = 1;
  std::vector<std::vector<KernelStep>> steps;
  for (std::uint32_t g = 0; g < n; ++g) steps.push_back(kernel_ring_reduce_scatter(n, g));
  for (std::size_t s = 0; s < steps[0].size(); ++s) {
    const auto before = received;
    for (std::uint32_t g = 0; g < n; ++g) {
      const KernelStep& step = steps[g][s];
      Contributions sum = output[g][step.chunk];
      if (step.add_received) sum += before[g][step.chunk];
      EXPECT_EQ(step.waits, step.add_received);
      if (step.destination == KernelStep::Destination::own_output)
        output[g][step.chunk] = sum;
      else
        received[ring_next(n, g)][step.chunk] = sum;
    }
  }
  for (std::uint32_t c = 0; c < n; ++c) EXPECT_EQ(output[owner(c)][c], Contributions(n, 1)) << "chunk " << c;
}

TEST_P(Rings, KernelAllGatherBringsEveryChunkToEveryGpu) {
  const std::uint32_t n = gpus();
  std::vector<std::vector<unsigned>> has(n, std::vector<unsigned>(n, 0));
  for (std::uint32_t c = 0; c < n; ++c) has[owner(c)][c] = 1;
  std::vector<std::vector<KernelStep>> steps;
  for (std::uint32_t g = 0; g < n; ++g) steps.push_back(kernel_ring_all_gather(n, g));
  EXPECT_EQ(steps[0].size(), n - 1);
  for (std::size_t s = 0; s < steps[0].size(); ++s) {
    const auto before = has;
    for (std::uint32_t g = 0; g < n; ++g) {
      const KernelStep& step = steps[g][s];
      EXPECT_EQ(before[g][step.chunk], 1U)
          << "GPU " << g << " sends in step " << s << " what it does not have";
      EXPECT_EQ(step.waits, s > 0);
      ++has[ring_next(n, g)][step.chunk];
    }
  }
  for (const auto& chunks : has) EXPECT_EQ(chunks, std::vector<unsigned>(n, 1));  // and nothing arrives twice
}

INSTANTIATE_TEST_SUITE_P(Gpus, Rings, testing::Range(2U, 17U));

TEST(Plan, ExplainsWhatBecomesOfEachChunk) {
  const std::string text = describe(fused_ring_reduce_scatter(4, 1), 1);
  EXPECT_NE(text.find("chunk   1: remote_map to GPU 0, update; not tracked here"), std::string::npos) << text;
  EXPECT_NE(
      text.find("chunk   2: complete after 1 local + 1 remote updates an element, then dma_map to GPU 0"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("chunk   0: complete after 1 local + 1 remote updates an element, then kept"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace t3sim
