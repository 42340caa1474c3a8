// Tensor fusion: when buffers go, and beside which others.
#include "model/fusion.h"

#include <gtest/gtest.h>

#include <map>

#include "model/schedule.h"

namespace t3sim::model {
namespace {

// 10 ps and one for each byte; full links.
class ByTheByte : public FusedCosts {
 public:
  const CollectiveCost& of_fused(const Call& call, std::size_t tensors) override {
    CollectiveCost& cost = made_[{call.bytes, tensors}];
    cost.time = 10 + call.bytes;
    return cost;
  }

 private:
  std::map<std::pair<std::uint64_t, std::size_t>, CollectiveCost> made_;
};

class Fusion : public testing::Test {
 protected:
  void SetUp() override {
    graph_.gpus = 2;
    graph_.groupings = {{{0, 1}}};
    graph_.fusion = FusionRule{100, 50, true, 0};
  }
  // A tensor that comes at `at`.
  std::uint32_t tensor(Picoseconds at, std::uint64_t bytes, const std::string& backend = "a") {
    Operation before, o;
    before.set = o.set = graph_.set({0, 1});
    before.stream = graph_.stream("clock " + std::to_string(graph_.operations.size()));
    before.time = at;
    o.after = {graph_.add(before)};
    o.stream = graph_.stream("comm");
    o.fuse = true;
    o.call.emplace();
    o.call->bytes = bytes;
    o.call->backend = backend;
    return graph_.add(o);
  }
  Timed run() {
    const std::vector<const LinkShares*> shares(graph_.operations.size(), nullptr);
    return run_graph(graph_, shares, &costs_);
  }

  Graph graph_;
  ByTheByte costs_;
};

TEST_F(Fusion, SendsABufferThatHasItsBytesAtOnce) {
  const auto first = tensor(0, 60), second = tensor(5, 40);
  const Timed timed = run();
  ASSERT_EQ(timed.fused.size(), 1u);
  EXPECT_TRUE(timed.fused[0].full);
  EXPECT_EQ(timed.spans[first].begin, 5u);
  EXPECT_EQ(timed.spans[first].end, 115u);
  EXPECT_EQ(timed.spans[second].end, 115u);
}

// Each tensor leaves its stream at once, and the next one follows.
TEST_F(Fusion, TakesALongChainOfTensors) {
  graph_.in_order = true;
  constexpr std::uint32_t kTensors = 100'000;
  for (std::uint32_t i = 0; i < kTensors; ++i) {
    Operation o;
    o.set = graph_.set({0, 1});
    o.stream = graph_.stream("comm");
    o.fuse = true;
    o.call.emplace();
    o.call->bytes = 1;
    o.call->backend = "a";
    graph_.add(o);
  }
  EXPECT_EQ(run().fused.size(), kTensors / 100);
}

TEST_F(Fusion, SendsABufferWhoseFirstTensorHasWaited) {
  const auto first = tensor(3, 20), second = tensor(52, 20);
  const Timed timed = run();
  ASSERT_EQ(timed.fused.size(), 1u);
  EXPECT_FALSE(timed.fused[0].full);
  EXPECT_EQ(timed.spans[first].begin, 53u);
  EXPECT_EQ(timed.spans[second].end, 103u);
}

TEST_F(Fusion, BeginsAnotherBufferForWhatWouldBeTooMuch) {
  tensor(0, 70);
  const auto second = tensor(5, 40);
  const Timed timed = run();
  ASSERT_EQ(timed.fused.size(), 2u);
  EXPECT_EQ(timed.fused[0].begin, 5u);
  EXPECT_EQ(timed.fused[0].end, 85u);
  EXPECT_EQ(timed.spans[second].begin, 85u);  // closed at 55; links are full until then
}

TEST_F(Fusion, OfOtherBackendsRunsBesideWhatWasNotFull) {
  tensor(0, 20);
  tensor(0, 30, "b");
  const Timed beside = run();
  EXPECT_EQ(beside.fused[0].begin, 50u);
  EXPECT_EQ(beside.fused[1].begin, 50u);
  graph_.fusion->overlap = false;
  EXPECT_EQ(run().fused[1].begin, 80u);
}

TEST_F(Fusion, OfOtherBackendsWaitsForWhatIsFull) {
  tensor(0, 20, "b");
  tensor(40, 100);  // until 150
  const Timed timed = run();
  EXPECT_TRUE(timed.fused[0].full);
  EXPECT_EQ(timed.fused[1].begin, 150u);
}

TEST_F(Fusion, HoldsUpOnlyWhatNeedsTheTensor) {
  const auto sent = tensor(0, 20);
  Operation free, needs;
  free.set = needs.set = graph_.set({0, 1});
  free.stream = needs.stream = graph_.stream("comm");
  free.time = needs.time = 1;
  needs.after = {sent};
  const auto f = graph_.add(free), n = graph_.add(needs);
  const Timed timed = run();
  EXPECT_EQ(timed.spans[f].end, 1u);
  EXPECT_EQ(timed.spans[n].begin, timed.spans[sent].end);
}

}  // namespace
}  // namespace t3sim::model
