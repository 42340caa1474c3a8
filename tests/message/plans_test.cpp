// Every plan delivers or adds up each block exactly once, or is refused before anything runs.
#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "message/values.h"

namespace t3sim::message {
namespace {

Collective collective(Kind kind, Algorithm algorithm, std::uint32_t gpus) {
  Collective c;
  c.kind = kind;
  c.algorithm = algorithm;
  c.gpus = gpus;
  c.bytes = gpus * 4096;
  if (algorithm == Algorithm::hierarchical) c.node_size = 2;
  return c;
}

TEST(Plans, OfEveryKindAndAlgorithmDoWhatTheyPromise) {
  for (const auto& kind : names_of(Kind{}))
    for (const Algorithm algorithm : algorithms_of(kind.value))
      for (const std::uint32_t gpus : {2U, 3U, 4U, 5U, 8U, 12U, 16U, 31U, 32U, 300U}) {
        const Collective c = collective(kind.value, algorithm, gpus);
        SCOPED_TRACE(describe(c));
        const bool power = (gpus & (gpus - 1)) == 0;
        if ((algorithm == Algorithm::recursive_doubling && !power) ||
            (algorithm == Algorithm::hierarchical && (gpus % 2 != 0 || gpus == 2))) {
          EXPECT_THROW(make_plan(c), InputError);
          continue;
        }
        if (kind.value == Kind::all_to_all && algorithm == Algorithm::ring && gpus > 128) {
          EXPECT_THROW(make_plan(c), InputError);
          continue;
        }
        const Played played = play(c, make_plan(c));
        EXPECT_GT(played.elements, 0u);
        EXPECT_GT(played.messages, 0u);
      }
}

TEST(Plans, AThousandAtRandomAreRightOrRefused) {
  std::mt19937 draw(25);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(draw() % n); };
  std::uint32_t right = 0, refused = 0;
  for (int i = 0; i < 1000; ++i) {
    Collective c;
    c.kind = names_of(Kind{})[below(8)].value;
    c.algorithm = names_of(Algorithm{})[below(7)].value;
    c.gpus = 2 + below(40);
    c.root = below(c.gpus);
    c.peer = below(c.gpus);
    c.node_size = 1 + below(8);
    c.bytes = below(4) == 0 ? below(1 << 20) : std::uint64_t{c.gpus} * (1 + below(1 << 16));
    if (below(4) == 0)
      for (std::uint32_t b = 0; b < (c.kind == Kind::all_to_all ? c.gpus * c.gpus : c.gpus); ++b)
        c.counts.push_back(below(3) == 0 ? 0 : below(1 << 16));
    try {
      const Plan plan = make_plan(c);
      play(c, plan);
      ++right;
    } catch (const InputError& e) {
      EXPECT_EQ(std::string(e.what()).find("wrong block"), std::string::npos) << e.what();
      EXPECT_EQ(std::string(e.what()).find("for ever"), std::string::npos) << e.what();
      ++refused;
    }
  }
  EXPECT_EQ(right + refused, 1000u);
  EXPECT_GT(right, 250u);
  EXPECT_GT(refused, 100u);
}

// A plan with every step but one.
Plan without(const Plan& plan, std::size_t lost) {
  Plan other(plan.gpus(), plan.slots());
  std::size_t number = 0;
  for (std::uint32_t gpu = 0; gpu < plan.gpus(); ++gpu) {
    const std::uint32_t end = gpu + 1 < plan.gpus() ? plan.first_strand(gpu + 1) : plan.strands();
    for (std::uint32_t s = plan.first_strand(gpu); s < end; ++s) {
      for (const Step& step : plan.steps(s))
        if (number++ != lost) other.add(step);
      other.end_strand();
    }
    other.end_gpu();
  }
  return other;
}

// Rows of three, columns of two: each block is in halves, which go opposite ways, first along a row and then along a column.
TEST(Plans, AllToAllByRingsGoesBlockByBlockAlongRowsThenColumns) {
  Collective c = collective(Kind::all_to_all, Algorithm::ring, 6);
  c.node_size = 3;
  c.bytes = 6 * 1152;  // a block: nine lines, of which five go one way and four the other
  const Plan plan = make_plan(c);
  // In halves: 3 hops of 2 blocks in a row of three, 1 hop of 3 blocks in a column of two.
  const Played played = play(c, plan);
  EXPECT_EQ(played.messages, 6u * 2 * (3 + 1));
  EXPECT_EQ(played.elements, 6u * 6 * 2);
  std::uint64_t blocks = 0, bytes = 0;
  for (const Step& step : plan.all_steps()) {
    if (!step.sends()) continue;
    blocks += step.write.count;
    bytes += step.write.count * slot_bytes(c, 0, step.write.at(0));
  }
  EXPECT_EQ(blocks, 6u * 2 * (3 * 2 + 1 * 3));
  EXPECT_EQ(bytes, 6u * 1152 * (3 * 2 + 1 * 3));
  for (std::size_t lost = 0; lost < plan.all_steps().size(); ++lost)
    EXPECT_THROW(play(c, without(plan, lost)), InputError) << "step " << lost;
}

TEST(Plans, AllToAllByRingsNeedsRowsThatFitAndBlocksThatAreAlike) {
  Collective c = collective(Kind::all_to_all, Algorithm::ring, 6);
  c.node_size = 4;
  EXPECT_THROW(make_plan(c), InputError);
  c.node_size = 2;
  EXPECT_NO_THROW(make_plan(c));
  c.counts.assign(36, 128);
  EXPECT_THROW(make_plan(c), InputError);
  EXPECT_EQ(algorithms_of(Kind::all_to_all).front(), Algorithm::direct);
}

TEST(Plans, ThatLackAnyStepAreRefused) {
  for (const auto& kind : names_of(Kind{}))
    for (const Algorithm algorithm : algorithms_of(kind.value)) {
      const Collective c = collective(kind.value, algorithm, 4);
      SCOPED_TRACE(describe(c));
      const Plan plan = make_plan(c);
      for (std::size_t lost = 0; lost < plan.all_steps().size(); ++lost)
        EXPECT_THROW(play(c, without(plan, lost)), InputError) << "step " << lost;
    }
}

TEST(Plans, ThatAddABlockTwiceAreRefused) {
  const Collective c = collective(Kind::reduce_scatter, Algorithm::direct, 2);
  Plan twice(2, 2);
  for (std::uint16_t gpu = 0; gpu < 2; ++gpu) {
    const auto other = static_cast<std::uint16_t>(1 - gpu);
    for (int i = 0; i < 2; ++i) {
      Step send;
      send.to = other;
      send.loads = true;
      send.read = send.write = slots(other, 1, 2);
      twice.add(send);
      Step add;
      add.from = other;
      add.loads = add.stores = true;
      add.read = add.write = slots(gpu, 1, 2);
      twice.add(add);
    }
    twice.end_strand();
    twice.end_gpu();
  }
  EXPECT_THROW(play(c, twice), InputError);
}

}  // namespace
}  // namespace t3sim::message
