// Collectives as a library's kernel runs them: who passes which slice on, played through with numbers.
#include "plan/channel_plan.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>

namespace t3sim {
namespace {

constexpr std::uint64_t kLine = 128;

// A set of GPUs that run the blocks of their plans with sets of contributions in place of numbers.
class PlayedChannels {
 public:
  using Value = std::set<std::uint32_t>;  // GPUs whose part is in a line

  PlayedChannels(std::vector<ChannelPlan> plans, std::uint64_t bytes) : plans_(std::move(plans)) {
    for (std::uint32_t g = 0; g < plans_.size(); ++g) {
      results_.emplace_back(bytes / kLine);
      next_.emplace_back(plans_[g].blocks.size(), 0);
    }
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t g = 0; g < plans_.size(); ++g)
        for (std::size_t b = 0; b < plans_[g].blocks.size(); ++b) moved |= step(g, b);
    }
  }
  bool ended() const {
    for (std::uint32_t g = 0; g < plans_.size(); ++g)
      for (std::size_t b = 0; b < plans_[g].blocks.size(); ++b)
        if (next_[g][b] != plans_[g].blocks[b].size()) return false;
    return true;
  }
  const Value& result(std::uint32_t gpu, std::uint64_t line) const { return results_[gpu][line]; }
  // All-to-all: which GPU's part, and which line of it, lies here.
  std::pair<std::uint32_t, std::uint64_t> origin(std::uint32_t gpu, std::uint64_t line) const {
    return origins_.at({gpu, line});
  }

 private:
  struct Slice {
    std::vector<Value> lines;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> origins;
  };

  bool step(std::uint32_t g, std::size_t b) {
    if (next_[g][b] == plans_[g].blocks[b].size()) return false;
    const ChannelPass& p = plans_[g].blocks[b][next_[g][b]];
    auto& in = fifos_[{g, p.receives}];
    if (p.receives != kNoConnection && in.empty()) return false;
    if (p.sends != kNoConnection && out(g, p).size() >= plans_[g].slots) return false;
    Slice slice;
    slice.lines.resize(p.bytes / kLine);
    slice.origins.resize(p.bytes / kLine);
    if (p.receives != kNoConnection) {
      slice = in.front();
      in.pop_front();
      EXPECT_EQ(slice.lines.size(), p.bytes / kLine);
    }
    for (std::uint64_t i = 0; p.loads_own && i < slice.lines.size(); ++i) {
      slice.lines[i].insert(g);
      slice.origins[i] = {g, p.operand / kLine + i};
    }
    for (std::uint64_t i = 0; p.stores_own && i < slice.lines.size(); ++i) {
      results_[g].at(p.result / kLine + i) = slice.lines[i];
      origins_[{g, p.result / kLine + i}] = slice.origins[i];
    }
    if (p.sends != kNoConnection) out(g, p).push_back(slice);
    ++next_[g][b];
    return true;
  }
  std::deque<Slice>& out(std::uint32_t g, const ChannelPass& p) {
    return fifos_[{plans_[g].connections[p.sends].to, p.sends}];
  }

  std::vector<ChannelPlan> plans_;
  std::vector<std::vector<std::size_t>> next_;
  std::vector<std::vector<Value>> results_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::pair<std::uint32_t, std::uint64_t>> origins_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<Slice>> fifos_;
};

PlayedChannels ring(ChannelOp op, std::uint32_t gpus, std::uint64_t bytes, std::uint32_t channels,
                    const std::vector<std::uint32_t>& strides = {1}) {
  std::vector<ChannelPlan> plans;
  for (std::uint32_t g = 0; g < gpus; ++g)
    plans.push_back(ring_channels(op, g, gpus, bytes, {channels, 16 << 10, ~0ULL, strides}));
  return {plans, bytes};
}

TEST(RingChannels, of_a_reduce_scatter_leave_each_gpu_the_sum_of_its_chunk) {
  const std::uint64_t bytes = 3 * 128 * 1000;
  const PlayedChannels played = ring(ChannelOp::reduce_scatter, 3, bytes, 2);
  ASSERT_TRUE(played.ended());
  for (std::uint32_t g = 0; g < 3; ++g)
    for (std::uint64_t line = g * 1000; line < (g + 1) * 1000; ++line)
      EXPECT_EQ(played.result(g, line), (PlayedChannels::Value{0, 1, 2})) << g << " " << line;
}

TEST(RingChannels, of_an_all_gather_bring_every_chunk_to_every_gpu) {
  const PlayedChannels played = ring(ChannelOp::all_gather, 4, 4 * 128 * 500, 3);
  ASSERT_TRUE(played.ended());
  for (std::uint32_t g = 0; g < 4; ++g)
    for (std::uint64_t line = 0; line < 2000; ++line)
      EXPECT_EQ(played.result(g, line), (PlayedChannels::Value{static_cast<std::uint32_t>(line / 500)}));
}

TEST(RingChannels, of_an_all_reduce_leave_everybody_the_whole_sum) {
  for (const std::uint32_t gpus : {2U, 3U, 4U, 8U}) {
    const PlayedChannels played = ring(ChannelOp::all_reduce, gpus, gpus * 128 * 300, 2);
    ASSERT_TRUE(played.ended()) << gpus;
    PlayedChannels::Value all;
    for (std::uint32_t g = 0; g < gpus; ++g) all.insert(g);
    for (std::uint32_t g = 0; g < gpus; ++g)
      for (std::uint64_t line = 0; line < gpus * 300; ++line) ASSERT_EQ(played.result(g, line), all) << gpus;
  }
}

TEST(RingChannels, of_several_strides_do_the_same_each_on_links_of_its_own) {
  const std::uint32_t gpus = 8;
  const std::vector<std::uint32_t> strides{1, 3, 5, 7};
  const PlayedChannels summed = ring(ChannelOp::reduce_scatter, gpus, gpus * 128 * 300, 6, strides);
  const PlayedChannels gathered = ring(ChannelOp::all_gather, gpus, gpus * 128 * 300, 6, strides);
  ASSERT_TRUE(summed.ended() && gathered.ended());
  const PlayedChannels::Value all{0, 1, 2, 3, 4, 5, 6, 7};
  for (std::uint32_t g = 0; g < gpus; ++g)
    for (std::uint64_t line = 0; line < gpus * 300; ++line) {
      const auto owner = static_cast<std::uint32_t>(line / 300);
      if (owner == g) {
        ASSERT_EQ(summed.result(g, line), all);
      }
      ASSERT_EQ(gathered.result(g, line), PlayedChannels::Value{owner});
    }
  const ChannelPlan plan =
      ring_channels(ChannelOp::all_gather, 2, gpus, 1 << 20, {6, 16 << 10, ~0ULL, strides});
  std::vector<std::uint32_t> next;
  for (const ChannelConnection& c : plan.connections) next.push_back(c.to);
  EXPECT_EQ(next, (std::vector<std::uint32_t>{3, 5, 7, 1, 3, 5}));
}

TEST(AllToAllChannels, bring_each_part_to_its_owner) {
  const std::uint32_t gpus = 4, lines = 256;  // a part
  const std::uint64_t bytes = gpus * lines * kLine;
  std::vector<ChannelPlan> plans;
  for (std::uint32_t g = 0; g < gpus; ++g)
    plans.push_back(all_to_all_channels(g, gpus, bytes, {6, 16 << 10}));
  EXPECT_EQ(plans[0].channels, 8U);  // of 6, a power of two
  const PlayedChannels played(plans, bytes);
  ASSERT_TRUE(played.ended());
  for (std::uint32_t g = 0; g < gpus; ++g)
    for (std::uint32_t from = 0; from < gpus; ++from)
      for (std::uint64_t i = 0; i < lines; ++i)
        ASSERT_EQ(played.origin(g, from * lines + i), std::pair(from, std::uint64_t{g} * lines + i));
}

// FIFOs of 16 KiB: a ring's chunk is 8 KiB, a step of an all-to-all 2 KiB.
TEST(FirstLoops, are_those_of_every_channel_and_what_is_beyond_the_last_whole_one) {
  const std::uint64_t bytes = 2 * 2 * (5 * 8192 + 1024);  // GPUs, channels
  ChannelSettings settings{2, 16 << 10};
  EXPECT_EQ(loops_of(ChannelOp::all_gather, 2, bytes, settings), 5U);
  EXPECT_EQ(loops_of(ChannelOp::all_to_all, 2, bytes, settings), 20U);
  const auto sent = [&](std::uint64_t first) {
    settings.first_loops = first;
    std::uint64_t sum = 0;
    for (const auto& block : ring_channels(ChannelOp::all_gather, 0, 2, bytes, settings).blocks)
      for (const ChannelPass& p : block) sum += p.sends != kNoConnection ? p.bytes : 0;
    return sum;
  };
  EXPECT_EQ(sent(~std::uint64_t{0}), bytes / 2);
  EXPECT_EQ(sent(5), bytes / 2);
  EXPECT_EQ(sent(2), 2 * (2 * 8192 + 1024));
}

}  // namespace
}  // namespace t3sim
