// The collectives of the library, for every number of GPUs.
#include "plan/plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "plan/kernel_plan.h"
#include "plan/plan_check.h"
#include "plan/plan_library.h"
#include "ring_reference.h"

namespace t3sim {
namespace {

using Parameters = std::map<std::string, std::int64_t>;

class Rings : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Rings, OfTheLibraryAreThoseWrittenInCode) {
  EXPECT_EQ(fused_ring_reduce_scatter(GetParam()), reference_ring(GetParam(), true));
  EXPECT_EQ(dma_ring_reduce_scatter(GetParam()), reference_ring(GetParam(), false));
}

// What the neighbour upstream has produced at a position arrives when this GPU produces that chunk itself.
TEST_P(Rings, StaggerTheGpusByOneChunk) {
  const std::uint32_t n = GetParam();
  const CollectivePlan plan = fused_ring_reduce_scatter(n);
  for (std::uint32_t g = 0; g < n; ++g)
    for (std::uint32_t p = 0; p + 1 < n; ++p)
      EXPECT_EQ(plan.gpus[g].order[p], plan.gpus[ring_next(n, g)].order[p + 1]);
}

INSTANTIATE_TEST_SUITE_P(Gpus, Rings, testing::Range(2U, 17U));

struct Case {
  const char* name;
  std::uint32_t gpus, node_size;
  Parameters parameters;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const std::uint32_t n : {2U, 3U, 4U, 5U, 8U}) {
    for (const char* name :
         {"ring-reduce-scatter", "ring-reduce-scatter-dma", "bidirectional-ring-reduce-scatter",
          "bidirectional-ring-reduce-scatter-dma", "direct-reduce-scatter", "direct-reduce-scatter-dma",
          "ring-all-gather", "direct-all-gather", "all-to-all", "all-to-all-dma"})
      cases.push_back({name, n, 0, {}});
    cases.push_back({"direct-reduce-scatter", n, 0, {{"slices", 3}}});
    for (const char* name : {"ring-all-gather-dma", "direct-all-gather-dma"})
      for (const std::int64_t behind : {0, 1}) cases.push_back({name, n, 0, {{"behind", behind}}});
  }
  for (const auto& [n, node_size] : {std::pair(4U, 2U), {8U, 2U}, {8U, 4U}, {6U, 3U}})
    for (const char* name : {"two-level-reduce-scatter", "two-level-reduce-scatter-dma",
                             "two-level-all-gather", "two-level-all-gather-dma"})
      cases.push_back({name, n, node_size, {}});
  return cases;
}

class Library : public testing::TestWithParam<Case> {
 protected:
  CollectivePlan plan() const {
    const Case& c = GetParam();
    return plan_library::load(c.name, c.gpus, c.node_size, c.parameters);
  }
  bool is(std::string_view part) const {
    return std::string_view(GetParam().name).find(part) != std::string_view::npos;
  }
  std::uint32_t gpus() const { return GetParam().gpus; }
  // GPU that ends a reduce-scatter with a chunk, and begins an all-gather with it.
  std::uint32_t owner(std::uint32_t chunk) const {
    const std::uint32_t of_ring = chunk % gpus();
    if (is("bidirectional")) return chunk < gpus() ? (of_ring + 1) % gpus() : (of_ring + gpus() - 1) % gpus();
    if (is("ring-reduce-scatter")) return (of_ring + 1) % gpus();
    const auto behind = GetParam().parameters.find("behind");
    const std::int64_t by = behind == GetParam().parameters.end() ? 0 : behind->second;
    return (of_ring + static_cast<std::uint32_t>(by)) % gpus();
  }
};

// The kinds promise it, and check_plan() has refused what breaks the promise: here every cell is looked at.
TEST_P(Library, LeavesWhatItsKindPromises) {
  const CollectivePlan p = plan();
  const PlanOutcome outcome = check_plan(p);
  std::vector<Contribution> all;
  for (std::uint32_t g = 0; g < gpus(); ++g) all.push_back({static_cast<std::uint16_t>(g), 1});
  for (std::uint32_t c = 0; c < p.chunks; ++c)
    for (std::uint32_t g = 0; g < gpus(); ++g) {
      const std::uint32_t own = owner(c);
      const auto from = [](std::uint32_t gpu) {
        return std::vector<Contribution>{{static_cast<std::uint16_t>(gpu), 1}};
      };
      if (is("reduce-scatter")) {
        EXPECT_EQ(outcome.at(g, 0, c) == all, g == own) << "GPU " << g << " chunk " << c;
      } else if (is("all-gather")) {
        EXPECT_EQ(outcome.at(g, 0, c), from(own)) << "GPU " << g << " chunk " << c;
      } else {
        EXPECT_EQ(outcome.at(c, receive_array(gpus(), g, c), c), from(g)) << g << " to " << c;
      }
    }
}

// Bytes over links: a reduce-scatter and an all-gather take n - 1 chunks of n a GPU, whatever their shape.
TEST_P(Library, SendsEachChunkAsOftenAsNeeded) {
  const CollectivePlan p = plan();
  std::size_t sent = 0;
  for (const GpuPlan& gpu : p.gpus)
    for (const ChunkPlan& chunk : gpu.chunks)
      sent += chunk.dma.size() + (chunk.producer == ChunkPlan::Producer::remote);
  EXPECT_EQ(sent, std::size_t{gpus() - 1} * p.chunks);
}

TEST_P(Library, IsInvariantToRotationUnlessItHasNodes) {
  EXPECT_EQ(rotation_invariant(plan()), !is("two-level"));
}

// GPUs that produce in unlike orders do not do the same, whatever becomes of their chunks.
TEST_P(Rings, AreInvariantToRotationOnlyWithTheirOrders) {
  CollectivePlan plan = fused_ring_reduce_scatter(GetParam());
  EXPECT_TRUE(rotation_invariant(plan));
  std::swap(plan.gpus[1].order.front(), plan.gpus[1].order.back());
  EXPECT_FALSE(rotation_invariant(plan));
}

TEST_P(Library, ProducesEveryChunkThatItHasStoresFor) {
  const CollectivePlan p = plan();
  for (std::uint32_t g = 0; g < gpus(); ++g) {
    const std::size_t produced = is("all-gather") ? 1 : p.chunks;
    EXPECT_EQ(p.gpus[g].order.size(), produced);
    for (std::uint32_t c : p.gpus[g].order)
      EXPECT_EQ(p.at(g, 0, c).producer == ChunkPlan::Producer::none, is("-dma"))
          << "GPU " << g << " chunk " << c;
  }
}

TEST_P(Library, LeavesTheSameWhenPartsOfSplitKAddUp) {
  CollectivePlan p = plan();
  const PlanOutcome whole = check_plan(p);
  add_up_parts(p);
  EXPECT_EQ(check_plan(p).held, whole.held);
  for (const GpuPlan& gpu : p.gpus)
    for (const ChunkPlan& chunk : gpu.chunks) {
      EXPECT_FALSE(chunk.producer == ChunkPlan::Producer::local && chunk.op == Op::write);
      EXPECT_FALSE(chunk.producer == ChunkPlan::Producer::remote && chunk.remote.op == Op::write);
    }
}

INSTANTIATE_TEST_SUITE_P(Of, Library, testing::ValuesIn(all_cases()), [](const auto& parameter) {
  const Case& c = parameter.param;
  std::string name = fmt::format("{}_{}_{}", c.name, c.gpus, c.node_size);
  for (const auto& [key, value] : c.parameters) name += fmt::format("_{}_{}", key, value);
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(BuiltIn, TestsEveryCollectiveOfTheProgram) {
  const std::vector<Case> cases = all_cases();
  for (const std::string& name : plan_library::names())
    EXPECT_TRUE(std::ranges::any_of(cases, [&](const Case& c) { return c.name == name; })) << name;
  EXPECT_EQ(plan_library::names().size(), 16U);
}

// Section 7.1: "completely orchestrated using GEMM stores".
TEST(BuiltIn, ReducesDirectlyWithoutAnyDma) {
  const CollectivePlan plan = plan_library::load("direct-reduce-scatter", 8);
  for (const GpuPlan& gpu : plan.gpus)
    for (const ChunkPlan& chunk : gpu.chunks) EXPECT_TRUE(chunk.dma.empty());
}

// Between nodes a chunk goes once from each node: that is what two levels are for.
TEST(BuiltIn, CrossesBetweenNodesOnceAChunkAndNode) {
  for (const char* name : {"two-level-reduce-scatter", "two-level-all-gather-dma"}) {
    const CollectivePlan plan = plan_library::load(name, 8, 4);
    std::vector<unsigned> crossings(8);
    for (std::uint32_t g = 0; g < 8; ++g)
      for (std::uint32_t c = 0; c < 8; ++c) {
        const ChunkPlan& chunk = plan.at(g, 0, c);
        for (const Transfer& t : chunk.dma) crossings[c] += t.gpu / 4 != g / 4;
        if (chunk.producer == ChunkPlan::Producer::remote) crossings[c] += chunk.remote.gpu / 4 != g / 4;
      }
    EXPECT_EQ(crossings, std::vector<unsigned>(8, 1)) << name;
  }
}

// Where each GPU sends first, second, ...: if all began with the same one, its links would be all that counts.
std::vector<std::vector<std::uint16_t>> destinations_in_turn(const CollectivePlan& plan) {
  std::vector<std::vector<std::uint16_t>> turns;
  for (const GpuPlan& gpu : plan.gpus) {
    std::vector<std::uint16_t> to;
    for (const std::uint32_t c : gpu.order) {
      if (gpu.chunks[c].producer == ChunkPlan::Producer::remote) to.push_back(gpu.chunks[c].remote.gpu);
      for (const Transfer& transfer : gpu.chunks[c].dma) to.push_back(transfer.gpu);
    }
    turns.resize(std::max(turns.size(), to.size()));
    for (std::size_t i = 0; i < to.size(); ++i) turns[i].push_back(to[i]);
  }
  return turns;
}

TEST(BuiltIn, SendsToEveryGpuFromOneOtherAtATime) {
  for (const std::uint32_t n : {2U, 3U, 4U, 8U})
    for (const char* name :
         {"direct-reduce-scatter", "direct-reduce-scatter-dma", "direct-all-gather", "direct-all-gather-dma",
          "all-to-all", "all-to-all-dma", "ring-reduce-scatter", "ring-reduce-scatter-dma"}) {
      const auto turns = destinations_in_turn(plan_library::load(name, n));
      ASSERT_EQ(turns.size(), n - 1) << name;
      for (std::vector<std::uint16_t> to : turns) {
        std::ranges::sort(to);
        ASSERT_EQ(to.size(), n) << name;
        for (std::uint32_t g = 0; g < n; ++g) EXPECT_EQ(to[g], g) << name << " on " << n;
      }
    }
}

TEST(BuiltIn, KernelsSendToEveryGpuFromOneOtherAtATime) {
  for (const std::uint32_t n : {2U, 3U, 4U, 8U})
    for (const KernelPlan& plan : {kernel_direct_reduce_scatter(n), kernel_direct_all_gather(n),
                                   kernel_all_to_all(n), kernel_ring_all_gather(n)})
      for (std::size_t turn = 0; turn + 1 < n; ++turn) {
        std::set<std::uint16_t> to;
        for (const auto& steps : plan.gpus) to.insert(steps[turn].gpu);
        EXPECT_EQ(to.size(), n);
      }
}

TEST(BuiltIn, NamesTheNearestOfItsCollectives) {
  try {
    plan_library::load("ring-reduce-scater", 4);
    FAIL();
  } catch (const InputError& e) {
    const std::string text = e.what();
    EXPECT_EQ(text.rfind("no collective \"ring-reduce-scater\"; did you mean ring-reduce-scatter? allowed: "
                         "all-to-all, all-to-all-dma, bidirectional-ring-reduce-scatter, "
                         "bidirectional-ring-reduce-scatter-dma, ",
                         0),
              0U)
        << text;
  }
}

}  // namespace
}  // namespace t3sim
