// The baseline's collective kernels, played through without time: GPUs take their steps as early as the
// announcements that they wait for allow, in several orders.
#include "plan/kernel_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "plan/plan.h"

namespace t3sim {
namespace {

using Contributions = std::vector<unsigned>;  // by GPU: how often its value is in a copy

enum class Order { first_gpu_first, last_gpu_first, in_turn };

class Kernels : public testing::TestWithParam<std::tuple<std::uint32_t, Order>> {
 protected:
  std::uint32_t n() const { return std::get<0>(GetParam()); }
  Contributions only(std::uint32_t gpu) const {
    Contributions c(n());
    c[gpu] = 1;
    return c;
  }
  Contributions& at(std::uint32_t gpu, std::uint32_t array, std::uint32_t chunk) {
    return memory_[{gpu, array, chunk}];
  }

  void begin(const KernelPlan& plan) {
    plan_ = plan;
    next_.assign(n(), 0);
    for (std::uint32_t g = 0; g < n(); ++g)
      for (std::uint32_t a = 0; a < plan.arrays; ++a)
        for (std::uint32_t c = 0; c < plan.chunks; ++c) at(g, a, c) = Contributions(n());
    for (std::uint32_t g = 0; g < n(); ++g)
      for (const KernelStep& step : plan.gpus[g])
        if (step.gpu != g) ++announced_[{step.gpu, step.chunk, step.announces}];
  }
  void run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t i = 0; i < n(); ++i) {
        const std::uint32_t gpu = std::get<1>(GetParam()) == Order::last_gpu_first ? n() - 1 - i : i;
        while (take_step(gpu)) {
          moved = true;
          if (std::get<1>(GetParam()) == Order::in_turn) break;
        }
      }
    }
    for (std::uint32_t g = 0; g < n(); ++g)
      EXPECT_EQ(next_[g], plan_.gpus[g].size()) << "GPU " << g << " waits for ever";
  }

 private:
  using Announcement = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // GPU, chunk, number

  bool take_step(std::uint32_t gpu) {
    if (next_[gpu] == plan_.gpus[gpu].size()) return false;
    const KernelStep& step = plan_.gpus[gpu][next_[gpu]];
    const Announcement wanted{gpu, step.chunk, step.waits_for};
    if (step.waits_for != KernelStep::kNoWait && arrived_[wanted] < announced_[wanted]) return false;
    Contributions sum(n());
    for (const std::uint8_t a : step.reads)
      for (std::uint32_t g = 0; g < n(); ++g) sum[g] += at(gpu, a, step.chunk)[g];
    at(step.gpu, step.array, step.chunk) = sum;
    if (step.gpu != gpu) ++arrived_[{step.gpu, step.chunk, step.announces}];
    ++next_[gpu];
    return true;
  }

  KernelPlan plan_;
  std::vector<std::size_t> next_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Contributions> memory_;
  std::map<Announcement, unsigned> announced_, arrived_;
};

TEST_P(Kernels, OfARingReduceScatterAddEveryContributionExactlyOnce) {
  begin(kernel_ring_reduce_scatter(n()));
  for (std::uint32_t g = 0; g < n(); ++g)
    for (std::uint32_t c = 0; c < n(); ++c) at(g, 0, c) = only(g);
  run();
  for (std::uint32_t c = 0; c < n(); ++c) EXPECT_EQ(at((c + 1) % n(), 0, c), Contributions(n(), 1));
}

TEST_P(Kernels, OfRingsBothWaysAddEveryContributionExactlyOnce) {
  begin(kernel_bidirectional_reduce_scatter(n()));
  for (std::uint32_t g = 0; g < n(); ++g)
    for (std::uint32_t c = 0; c < 2 * n(); ++c) at(g, 0, c) = only(g);
  run();
  for (std::uint32_t c = 0; c < n(); ++c) {
    EXPECT_EQ(at((c + 1) % n(), 0, c), Contributions(n(), 1));
    EXPECT_EQ(at((c + n() - 1) % n(), 0, n() + c), Contributions(n(), 1));
  }
}

TEST_P(Kernels, OfRingsBothWaysBringEveryChunkToEveryGpu) {
  begin(kernel_bidirectional_all_gather(n()));
  for (std::uint32_t c = 0; c < n(); ++c) {
    at((c + 1) % n(), 0, c) = only((c + 1) % n());
    at((c + n() - 1) % n(), 0, n() + c) = only((c + n() - 1) % n());
  }
  run();
  for (std::uint32_t g = 0; g < n(); ++g)
    for (std::uint32_t c = 0; c < n(); ++c) {
      EXPECT_EQ(at(g, 0, c), only((c + 1) % n()));
      EXPECT_EQ(at(g, 0, n() + c), only((c + n() - 1) % n()));
    }
}

TEST_P(Kernels, OfADirectReduceScatterAddEveryContributionExactlyOnce) {
  begin(kernel_direct_reduce_scatter(n()));
  for (std::uint32_t g = 0; g < n(); ++g)
    for (std::uint32_t c = 0; c < n(); ++c) at(g, 0, c) = only(g);
  run();
  for (std::uint32_t c = 0; c < n(); ++c) EXPECT_EQ(at(c, 0, c), Contributions(n(), 1));
}

TEST_P(Kernels, OfARingAllGatherBringEveryChunkToEveryGpu) {
  begin(kernel_ring_all_gather(n()));
  for (std::uint32_t c = 0; c < n(); ++c) at((c + 1) % n(), 0, c) = only((c + 1) % n());
  run();
  for (std::uint32_t g = 0; g < n(); ++g)
    for (std::uint32_t c = 0; c < n(); ++c) EXPECT_EQ(at(g, 0, c), only((c + 1) % n()));
}

TEST_P(Kernels, OfADirectAllGatherBringEveryChunkToEveryGpu) {
  begin(kernel_direct_all_gather(n()));
  for (std::uint32_t c = 0; c < n(); ++c) at(c, 0, c) = only(c);
  run();
  for (std::uint32_t g = 0; g < n(); ++g)
    for (std::uint32_t c = 0; c < n(); ++c) EXPECT_EQ(at(g, 0, c), only(c));
}

TEST_P(Kernels, OfAnAllToAllBringEveryChunkToItsGpu) {
  begin(kernel_all_to_all(n()));
  for (std::uint32_t g = 0; g < n(); ++g)
    for (std::uint32_t c = 0; c < n(); ++c) at(g, 0, c) = only(g);
  run();
  for (std::uint32_t from = 0; from < n(); ++from)
    for (std::uint32_t to = 0; to < n(); ++to)
      EXPECT_EQ(at(to, receive_array(n(), from, to), to), only(from)) << from << " to " << to;
}

INSTANTIATE_TEST_SUITE_P(Gpus, Kernels,
                         testing::Combine(testing::Range(2U, 10U),
                                          testing::Values(Order::first_gpu_first, Order::last_gpu_first,
                                                          Order::in_turn)));

}  // namespace
}  // namespace t3sim
