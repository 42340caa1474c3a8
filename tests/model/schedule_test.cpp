// Operations of a graph: who begins when, and how collectives share links.
#include "model/schedule.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace t3sim::model {
namespace {

Graph on_gpus(std::uint32_t gpus) {
  Graph graph;
  graph.gpus = gpus;
  return graph;
}

std::uint32_t compute(Graph& graph, const GpuSet& gpus, Picoseconds time,
                      std::vector<std::uint32_t> after = {}, const std::string& stream = "main") {
  Operation o;
  o.name = "o" + std::to_string(graph.operations.size());
  o.set = graph.set(gpus);
  o.stream = graph.stream(stream);
  o.after = std::move(after);
  o.time = time;
  return graph.add(o);
}

std::uint32_t call(Graph& graph, const GpuSet& gpus, Picoseconds time, const std::string& stream,
                   std::vector<std::uint32_t> after = {}) {
  const std::uint32_t number = compute(graph, gpus, time, std::move(after), stream);
  graph.operations[number].call.emplace();
  return number;
}

Timed run(const Graph& graph, std::vector<const LinkShares*> shares = {}) {
  shares.resize(graph.operations.size(), nullptr);
  return run_graph(graph, shares);
}

TEST(Operations, OfAStreamFollowOneAnother) {
  Graph graph = on_gpus(1);
  compute(graph, {0}, 10);
  compute(graph, {0}, 5);
  EXPECT_EQ(run(graph).end, 15u);
}

TEST(Operations, OfTwoStreamsRunSideBySide) {
  Graph graph = on_gpus(1);
  compute(graph, {0}, 10);
  compute(graph, {0}, 5, {}, "other");
  EXPECT_EQ(run(graph).end, 10u);
}

TEST(Operations, WaitForThoseBeforeThemOnOtherGpus) {
  Graph graph = on_gpus(2);
  const std::uint32_t first = compute(graph, {0}, 10);
  compute(graph, {1}, 5, {first});
  EXPECT_EQ(run(graph).end, 15u);
}

TEST(Operations, OfSeveralGpusWaitUntilAllAreFree) {
  Graph graph = on_gpus(2);
  compute(graph, {0}, 10);
  compute(graph, {0, 1}, 5);
  const Timed timed = run(graph);
  EXPECT_EQ(timed.spans[1].begin, 10u);
  ASSERT_EQ(timed.classes.size(), 2u);
  EXPECT_EQ(timed.classes[1].compute, 5u);
}

TEST(Operations, OutOfOrderBeginAsSoonAsTheyCan) {
  Graph graph = on_gpus(2);
  const std::uint32_t far = compute(graph, {1}, 100);
  compute(graph, {0}, 5, {far});
  compute(graph, {0}, 7);
  EXPECT_EQ(run(graph).spans[2].begin, 105u);
  graph.in_order = false;
  EXPECT_EQ(run(graph).spans[2].begin, 0u);
}

TEST(Operations, ThatWaitForEachOtherAreNamed) {
  Graph graph = on_gpus(1);
  compute(graph, {0}, 1);
  compute(graph, {0}, 1, {2});
  compute(graph, {0}, 1, {1});
  try {
    check_order(graph);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "operations wait for each other: \"o1\" after \"o2\" after \"o1\"");
  }
}

TEST(Operations, ThatStreamsHoldUpEndTheRun) {
  Graph graph = on_gpus(1);
  compute(graph, {0}, 1, {1});
  compute(graph, {0}, 1);
  EXPECT_THROW(run(graph), NoProgressError);
}

TEST(Collectives, AloneTakeTheirOwnTime) {
  Graph graph = on_gpus(2);
  call(graph, {0, 1}, 1000, "a");
  const LinkShares all{{0, 1.0}};
  EXPECT_EQ(run(graph, {&all}).end, 1000u);
}

TEST(Collectives, ThatFillALinkEachTakeTwiceAsLongTogether) {
  Graph graph = on_gpus(2);
  call(graph, {0, 1}, 1000, "a");
  call(graph, {0, 1}, 1000, "b");
  const LinkShares all{{0, 1.0}};
  EXPECT_EQ(run(graph, {&all, &all}).end, 2000u);
}

TEST(Collectives, ThatLeaveRoomForEachOtherDoNotWait) {
  Graph graph = on_gpus(2);
  call(graph, {0, 1}, 1000, "a");
  call(graph, {0, 1}, 1000, "b");
  const LinkShares half{{0, 0.5}}, other{{0, 0.4}, {1, 1.0}};
  EXPECT_EQ(run(graph, {&half, &other}).end, 1000u);
}

// A link's worth of each goes over it, whoever goes first.
TEST(Collectives, GoOnFasterWhenAnotherHasEnded) {
  Graph graph = on_gpus(2);
  call(graph, {0, 1}, 1000, "a");
  call(graph, {0, 1}, 500, "b");
  const LinkShares all{{0, 1.0}};
  const Timed timed = run(graph, {&all, &all});
  EXPECT_EQ(timed.spans[1].end, 1000u);
  EXPECT_EQ(timed.end, 1500u);
}

// Three on one link, one of them on a link of its own too: max-min fair.
TEST(Collectives, OnAFullLinkStayAsTheyAreWhileOthersGrow) {
  Graph graph = on_gpus(2);
  call(graph, {0, 1}, 1000, "a");
  call(graph, {0, 1}, 1000, "b");
  call(graph, {0, 1}, 1000, "c");
  const LinkShares a{{0, 1.0}}, b{{0, 1.0}, {1, 0.5}}, c{{1, 0.5}};
  const Timed timed = run(graph, {&a, &b, &c});
  EXPECT_EQ(timed.spans[2].end, 1000u);
  EXPECT_EQ(timed.spans[0].end, 2000u);
}

TEST(Collectives, AreExposedWhileNothingComputes) {
  Graph graph = on_gpus(2);
  call(graph, {0, 1}, 1000, "a");
  compute(graph, {0, 1}, 300);
  const LinkShares all{{0, 1.0}};
  const GpuClass c = run(graph, {&all, nullptr}).classes[0];
  EXPECT_EQ(c.communication, 1000u);
  EXPECT_EQ(c.compute, 300u);
  EXPECT_EQ(c.exposed, 700u);
}

TEST(Groups, AreSideBySideOrAStrideApart) {
  EXPECT_EQ(groups_of({0, 1, 2, 3}, 2, 1), (Grouping{{0, 1}, {2, 3}}));
  EXPECT_EQ(groups_of({0, 1, 2, 3}, 2, 2), (Grouping{{0, 2}, {1, 3}}));
  EXPECT_THROW(groups_of({0, 1, 2}, 2, 1), InputError);
}

}  // namespace
}  // namespace t3sim::model
