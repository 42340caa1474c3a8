// Network cards in a run: what DMA engines send between nodes is posted as puts by GPUs or their hosts.
#include <gtest/gtest.h>

#include "machine/small_cluster.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kMicrosecond = 1'000'000;

// Two nodes of two GPUs, which share a card. Around the ring GPU 0 and GPU 2 send to the other node.
Config two_nodes(CardConfig card) {
  Config config = small_config(4, 512, 256, 64, GpuModel::explicit_);
  config.topology.kind = TopologyKind::pcie_tree;
  config.topology.pcie = {1, 2, 1, false, 40'000'000'000, 200'000, 100'000'000'000, 300'000, {}, 800'000};
  config.topology.outer_bandwidth_Bps = 25'000'000'000;
  config.topology.outer_latency_ps = 2 * kMicrosecond;
  config.topology.card = card;
  return config;
}
std::uint64_t puts_of(const PhaseResult& result, const char* card) {
  return result.fabric->network()->cards().find(card)->stats().puts;
}
// Of what a GPU sends, each block is a transfer.
std::uint64_t blocks_of(const PhaseResult& result, std::uint32_t gpu) {
  return result.gpus[gpu]->parts().dma->stats().blocks;
}

TEST(Puts, AreAllTransfersToTheOtherNodeAndNoOthers) {
  const PhaseResult result = run_phase(two_nodes({128, 100'000, 0, CardPuts::gpu}), near_memory_phase());
  EXPECT_EQ(puts_of(result, "card0"), blocks_of(result, 0));
  EXPECT_EQ(puts_of(result, "card1"), blocks_of(result, 2));
  EXPECT_GT(puts_of(result, "card0"), 0U);
}

TEST(Puts, AreNoneWhereNobodyPosts) {
  const PhaseResult result = run_phase(two_nodes({128, 100'000, 0, CardPuts::none}), near_memory_phase());
  EXPECT_EQ(puts_of(result, "card0"), 0U);
}

TEST(Puts, MoveTheSameBytesOverTheSameLinks) {
  const PhaseResult plain = run_phase(two_nodes({128, 0, 0, CardPuts::none}), near_memory_phase());
  const PhaseResult puts = run_phase(two_nodes({128, 0, 0, CardPuts::gpu}), near_memory_phase());
  const auto& a = plain.fabric->network()->outputs();
  const auto& b = puts.fabric->network()->outputs();
  for (std::size_t l = 0; l < a.size(); ++l)
    EXPECT_EQ(a[l] ? a[l]->stats().bytes : 0, b[l] ? b[l]->stats().bytes : 0);
  EXPECT_GT(puts.time_us, plain.time_us);  // a doorbell, and the word to read
}

// So long that nothing else matters.
TEST(Puts, StartAtTheCardsRate) {
  const PhaseResult result =
      run_phase(two_nodes({1000, 5 * kMicrosecond, 0, CardPuts::gpu}), near_memory_phase());
  const double expected = 5.0 * static_cast<double>(puts_of(result, "card0"));
  EXPECT_NEAR(result.time_us, expected, 0.05 * expected);
}

TEST(Puts, TakeTheirHostItsTime) {
  const PhaseResult result =
      run_phase(two_nodes({1000, 0, 5 * kMicrosecond, CardPuts::host}), near_memory_phase());
  const double expected = 5.0 * static_cast<double>(puts_of(result, "card0"));
  EXPECT_NEAR(result.time_us, expected, 0.05 * expected);
}

// Doorbell, word to read, two cards, the links between, acknowledgement and completion: with one place each put
// waits for the one before.
TEST(Puts, WaitForAPlaceInTheCard) {
  const PhaseResult one = run_phase(two_nodes({1, 0, 0, CardPuts::gpu}), near_memory_phase());
  constexpr double kPcie = 0.5, kCard = 0.8, kNet = 2.0;
  const double there = kPcie + kPcie + (kPcie + kCard + kNet + kCard + kPcie);
  const double back = (kPcie + kCard + kNet) + kPcie;
  const double data = 2048.0 / 25e3;  // a wavefront tile over the network's port
  const double expected = static_cast<double>(puts_of(one, "card0")) * (there + back + data);
  EXPECT_NEAR(one.time_us, expected, 0.1 * expected);
  EXPECT_LT(run_phase(two_nodes({8, 0, 0, CardPuts::gpu}), near_memory_phase()).time_us, 0.3 * one.time_us);
}

// GPUs 0 and 1 both send to the other node, by the card that they share: together they have its port's rate.
TEST(Puts, OfGpusThatShareACardShareItsPort) {
  Config config = two_nodes({1000, 0, 0, CardPuts::gpu});
  config.workload.m = 4096;
  config.collective.algorithm = CollectiveAlgorithm::direct;
  const PhaseResult result = run_phase(config, near_memory_phase());
  const double bytes = 4096.0 * 256 * 2 / 4 * 2 * 2;  // two chunks of each of two GPUs
  const double expected = bytes / 25e3;
  EXPECT_NEAR(result.time_us, expected + 6, 0.02 * expected);
}

TEST(Puts, AreWhatThePortOfWhoPostsWaitsForWhereTheCardIsSlow) {
  const PhaseResult result =
      run_phase(two_nodes({1000, 5 * kMicrosecond, 0, CardPuts::gpu}), near_memory_phase());
  EXPECT_GT(result.gpus[0]->links()[0].idle_for(LinkIdle::card), result.ticks / 2);
  EXPECT_EQ(result.gpus[1]->links()[0].idle_for(LinkIdle::card), 0U);  // it posts none
}

}  // namespace
}  // namespace t3sim
