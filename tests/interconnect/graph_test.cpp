// Graphs and routes: what descriptions in YAML mean, and what is wrong with those that cannot work.
#include "interconnect/graph.h"

#include <gtest/gtest.h>

#include "base/csv.h"
#include "config/config.h"
#include "interconnect/link_load.h"
#include "interconnect/paper_link.h"
#include "interconnect/presets.h"
#include "interconnect/topologies.h"

namespace t3sim {
namespace {

using Names = std::vector<std::string>;

LinkSpec link(const std::string& from, const std::string& to) {
  LinkSpec spec;
  spec.from = from;
  spec.to = to;
  return spec;
}
TopologyConfig graph_of(const Names& switches, const std::vector<LinkSpec>& links) {
  TopologyConfig config;
  config.kind = TopologyKind::graph;
  for (const std::string& name : switches) config.vertices[name] = {};
  config.links = links;
  return config;
}
std::string route(const TopologyConfig& config, std::uint32_t gpus, std::uint32_t from, std::uint32_t to) {
  const auto topology = make_topology(config, gpus);
  return describe_route(topology->graph, topology->routes.route(from, to));
}
// A ring of five switches with a GPU each: routes of two links between switches wait for each other.
TopologyConfig ring_of_switches(std::uint32_t channels) {
  TopologyConfig config = graph_of({"s[0-4]"}, {link("gpu[0-4]", "s[0-4]"), link("s[0-4]", "s[1-4,0]")});
  for (LinkSpec& spec : config.links) spec.channels = channels;
  return config;
}

TEST(Names, MayHoldRanges) {
  EXPECT_EQ(expand_names("nic3"), Names{"nic3"});
  EXPECT_EQ(expand_names("nic[0-2]"), (Names{"nic0", "nic1", "nic2"}));
  EXPECT_EQ(expand_names("gpu[1,8-9]"), (Names{"gpu1", "gpu8", "gpu9"}));
  for (const char* wrong : {"", "a[", "a[]", "a[2-1]", "a[1-]", "a[x]", "a[1,]", "a[0-99999]"})
    EXPECT_THROW(expand_names(wrong), InputError) << wrong;
}

TEST(Links, JoinPairwiseOrAllToOne) {
  const auto topology =
      make_topology(graph_of({"a[0-1]", "b"}, {link("gpu[0-1]", "a[0-1]"), link("a[0-1]", "b")}), 2);
  Names names;
  for (std::uint32_t l = 0; l < topology->graph.links().size(); ++l) names.push_back(topology->graph.name(l));
  EXPECT_EQ(names, (Names{"gpu0>a0", "a0>gpu0", "gpu1>a1", "a1>gpu1", "a0>b", "b>a0", "a1>b", "b>a1"}));
}

TEST(Routes, AreTheShortest) {
  TopologyConfig config = graph_of({"near", "far"}, {link("gpu[0-1]", "near"), link("gpu[0-1]", "far")});
  config.links[0].latency_ps = 100'000;
  EXPECT_EQ(route(config, 2, 0, 1), "gpu0 > near > gpu1");
  config.links[0].latency_ps = 900'000;
  EXPECT_EQ(route(config, 2, 0, 1), "gpu0 > far > gpu1");
}

TEST(Routes, AreShortestByTheLatencyOfCardsToo) {
  TopologyConfig config = graph_of({"card", "far"}, {link("gpu[0-1]", "card"), link("gpu[0-1]", "far")});
  config.vertices["card"] = {VertexKind::card, 1'000'000, {}};
  config.links[0].latency_ps = 100'000;
  EXPECT_EQ(route(config, 2, 0, 1), "gpu0 > far > gpu1");
}

TEST(Routes, ShareEqualWaysByDestination) {
  const TopologyConfig config =
      graph_of({"leaf[0-1]", "spine[0-1]"}, {link("gpu[0-1]", "leaf0"), link("gpu[2-3]", "leaf1"),
                                             link("leaf[0-1]", "spine0"), link("leaf[0-1]", "spine1")});
  EXPECT_EQ(route(config, 4, 0, 2), "gpu0 > leaf0 > spine0 > leaf1 > gpu2");
  EXPECT_EQ(route(config, 4, 0, 3), "gpu0 > leaf0 > spine1 > leaf1 > gpu3");
}

TEST(Routes, DoNotPassGpus) {
  const TopologyConfig config = graph_of({}, {link("gpu0", "gpu1"), link("gpu1", "gpu2")});
  EXPECT_EQ(route(config, 3, 0, 2), "");
  EXPECT_EQ(unreachable(config, 3, {{0, 2}}),
            "there is no way from GPU 0 to GPU 2: topology.kind graph joins GPU 0 to GPU 1 only");
}

TEST(Routes, MayBeGivenByWhatTheyPass) {
  TopologyConfig config = graph_of({"a", "b"}, {link("gpu[0-1]", "a"), link("gpu[0-1]", "b")});
  EXPECT_EQ(route(config, 2, 1, 0), "gpu1 > a > gpu0");
  config.routes = {{"gpu1", "gpu0", "b"}};
  EXPECT_EQ(route(config, 2, 1, 0), "gpu1 > b > gpu0");
  EXPECT_EQ(route(config, 2, 0, 1), "gpu0 > b > gpu1");  // equal ways: the destination chooses
}

// Two sockets whose link gives GPUs no access to each other.
TopologyConfig sockets(bool peer_access) {
  TopologyConfig config = graph_of({"socket[0-1]", "memory[0-1]"},
                                   {link("gpu[0-1]", "socket0"), link("gpu[2-3]", "socket1"),
                                    link("memory[0-1]", "socket[0-1]"), link("socket0", "socket1")});
  config.vertices["memory[0-1]"] = {VertexKind::memory, 100'000, {}};
  config.links[3].peer_access = peer_access;
  return config;
}

TEST(PeerAccess, LacksWhereARouteGoesThroughTheMemoryOfTheSendersHost) {
  const TopologyConfig config = sockets(false);
  EXPECT_EQ(route(config, 4, 0, 1), "gpu0 > socket0 > gpu1");
  EXPECT_EQ(route(config, 4, 0, 3), "gpu0 > socket0 > memory0 > socket0 > socket1 > gpu3");
  EXPECT_EQ(route(config, 4, 3, 0), "gpu3 > socket1 > memory1 > socket1 > socket0 > gpu0");
  EXPECT_EQ(refusal(config), "");
  const auto topology = make_topology(config, 4);
  EXPECT_EQ(way_of(topology->graph, topology->routes.route(0, 3)), Way::host_memory);
  EXPECT_EQ(way_of(topology->graph, topology->routes.route(0, 1)), Way::switched);
}

TEST(PeerAccess, NeedsNoMemory) {
  EXPECT_EQ(route(sockets(true), 4, 0, 3), "gpu0 > socket0 > socket1 > gpu3");
}

TEST(Torus, GoesInDimensionOrderTheShorterWayRound) {
  TopologyConfig config;
  config.kind = TopologyKind::torus;
  config.shape = {4, 4, 1};
  EXPECT_EQ(route(config, 16, 0, 7), "gpu0 > node0 > node3 > node7 > gpu7");
  EXPECT_EQ(route(config, 16, 5, 0), "gpu5 > node5 > node4 > node0 > gpu0");
}

TEST(Deadlock, IsFoundBeforeTheRun) {
  const std::string text = refusal(ring_of_switches(1), 5);
  EXPECT_NE(text.find("a.yaml: topology.links: packets on these routes can wait for each other for ever: "),
            std::string::npos)
      << text;
  EXPECT_NE(
      text.find("s0>s1 waits for s1>s2 waits for s2>s3 waits for s3>s4 waits for s4>s0 waits for s0>s1"),
      std::string::npos)
      << text;
}

TEST(Deadlock, CannotBeWithAChannelForEachLinkOfARoute) { EXPECT_EQ(refusal(ring_of_switches(4), 5), ""); }

TEST(Deadlock, IsInNoPreset) {
  TopologyConfig config;
  config.pcie = {2, 2, 1, false, 1'000'000'000, 1000, 1'000'000'000, 1000, {}, 1000};
  config.node_size = 4;
  for (const auto kind :
       {TopologyKind::mesh, TopologyKind::torus, TopologyKind::fat_tree, TopologyKind::pcie_tree})
    for (const auto& shape :
         {std::array{4U, 4U, 4U}, {8U, 8U, 1U}, {2U, 32U, 1U}, {64U, 1U, 1U}, {4U, 8U, 2U}}) {
      config.kind = kind;
      config.shape = shape;
      EXPECT_EQ(refusal(config, 64), "") << to_string(kind) << ' ' << shape[0] << 'x' << shape[1];
    }
}

TEST(Loop, IsFoundBeforeTheRun) {
  TopologyConfig config = graph_of({"a", "b"}, {link("gpu[0-3]", "a"), link("a", "b")});
  config.routes = {{"gpu0", "gpu1", "b"}};
  const std::string text = refusal(config);
  EXPECT_NE(text.find("topology.routes: the route gpu0 > a > b > a > gpu1 loops: it passes a twice"),
            std::string::npos)
      << text;
}

TEST(Links, WithOddNamesStayFieldsOfACsv) {
  const TopologyConfig config = graph_of({"a,\"b"}, {link("gpu[0-1]", "a,\"b")});
  const auto topology = make_topology(config, 2);
  LinkLoads loads;
  loads.links.resize(topology->graph.links().size());
  const std::string text = links_csv(*topology, loads, paper_time(), "t3", true);
  CsvTable table(text, "links.csv");
  ASSERT_TRUE(table.next_row());
  EXPECT_EQ(table.text(table.column("to")), "a,\"b");
}

TEST(Descriptions, AreRefusedWithTheKeyAndWhatIsWrong) {
  const std::vector<LinkSpec> star{link("gpu[0-3]", "a")};
  const auto wrong = [&](const std::vector<LinkSpec>& links, const Names& vertices = {"a"}) {
    return refusal(graph_of(vertices, links));
  };
  EXPECT_EQ(wrong(star), "");
  EXPECT_NE(wrong({link("gpu[0-3]", "aa")}).find("topology.links.0.to: there is no aa; "), std::string::npos);
  EXPECT_NE(wrong({link("gpu[0-3]", "swich")}, {"switch"}).find("did you mean switch?"), std::string::npos);
  EXPECT_NE(wrong({link("gpu[0-2]", "a")}).find("gpu3 has no link out"), std::string::npos);
  EXPECT_NE(wrong({star[0], link("a", "a")}).find("joins a to itself"), std::string::npos);
  EXPECT_NE(wrong({star[0], link("gpu1", "a")}).find("the link gpu1>a is there already"), std::string::npos);
  EXPECT_NE(wrong({link("gpu[0-3]", "a[0-1]")}, {"a[0-1]"}).find("4 vertices cannot be joined to 2"),
            std::string::npos);
  EXPECT_NE(wrong(star, {"a", "gpu1"}).find("gpu1 is there already"), std::string::npos);
  TopologyConfig config = graph_of({"a"}, star);
  config.routes = {{"gpu0", "a", "a"}};
  EXPECT_NE(refusal(config).find("topology.routes.0.to: a is no GPU"), std::string::npos);
  config.routes = {{"gpu0", "gpu[1-2]", "a"}, {"gpu0", "gpu1", "a"}};
  EXPECT_NE(refusal(config).find("topology.routes.1: the route from gpu0 to gpu1 is said already"),
            std::string::npos);
  config.routes = {{"gpu2", "gpu2", "a"}};
  EXPECT_NE(refusal(config).find("topology.routes.0: leads from a GPU to itself"), std::string::npos);
  config.kind = TopologyKind::ring;
  EXPECT_NE(refusal(config).find("is of topology.kind graph only"), std::string::npos);
}

TEST(Cards, MustSayTheirLatency) {
  TopologyConfig config = graph_of({"a"}, {link("gpu[0-3]", "a")});
  config.vertices["a"].kind = VertexKind::card;
  EXPECT_NE(refusal(config).find("topology.vertices.a: lacks latency: a card has no default for it"),
            std::string::npos)
      << refusal(config);
}

TEST(Puts, NeedACardAndAHostThatPostsThem) {
  TopologyConfig config = graph_of({"a"}, {link("gpu[0-3]", "a")});
  config.card.puts = CardPuts::gpu;
  EXPECT_NE(refusal(config).find("topology.card.puts: needs a network card"), std::string::npos)
      << refusal(config);
  config.vertices["a"] = {VertexKind::card, 0, {}};
  EXPECT_EQ(refusal(config), "");
  config.card.puts = CardPuts::host;
  EXPECT_NE(refusal(config).find("host: gpu0 reaches no vertex of kind memory"), std::string::npos)
      << refusal(config);
}

TEST(Ways, SayThroughWhoseMemoryAndByWhichCard) {
  TopologyConfig config = sockets(false);
  auto topology = make_topology(config, 4);
  EXPECT_EQ(way_words(topology->graph, topology->routes.route(0, 3)), " through host memory (memory0)");
  EXPECT_EQ(way_words(topology->graph, topology->routes.route(0, 1)), "");
  config = graph_of({"a"}, {link("gpu[0-3]", "a")});
  config.vertices["a"] = {VertexKind::card, 0, {}};
  topology = make_topology(config, 4);
  EXPECT_EQ(way_words(topology->graph, topology->routes.route(0, 1)), " by a");
}

TEST(Presets, RefuseWhatDoesNotFit) {
  TopologyConfig config;
  config.kind = TopologyKind::torus;
  config.shape = {3, 3, 1};
  EXPECT_NE(refusal(config, 8).find("topology.shape: 3x3x1 has 9 places, gpus.count is 8"),
            std::string::npos);
  config.kind = TopologyKind::pcie_tree;
  EXPECT_NE(refusal(config, 9).find("9 GPUs do not divide into nodes of 2 sockets"), std::string::npos);
  config.kind = TopologyKind::fat_tree;
  EXPECT_NE(refusal(config, 9).find("9 GPUs do not divide into leaves of 4"), std::string::npos);
}

}  // namespace
}  // namespace t3sim
