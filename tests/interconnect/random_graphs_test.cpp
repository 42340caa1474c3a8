// A thousand random graphs, each with a random collective over it: every link carries exactly the bytes of the
// transfers whose routes take it, and no credit is lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "draws.h"
#include "interconnect/small_net.h"
#include "plan/plan_library.h"

namespace t3sim {
namespace {

constexpr std::uint32_t kLongestRoute = 16;

class RandomGraph {
 public:
  explicit RandomGraph(unsigned seed) : random_(seed), gpus_(2 + below(7)) {
    config_.kind = TopologyKind::graph;
    config_.link.buffer_bytes = 4096;
    const std::uint32_t others = 1 + below(6);
    for (std::uint32_t v = 0; v < others; ++v) add_vertex(v);
    for (std::uint32_t g = 0; g < gpus_; ++g) {
      join("gpu" + std::to_string(g), vertex(0));  // one that forwards: all GPUs reach each other
      if (below(3) == 0 && others > 1) join("gpu" + std::to_string(g), vertex(1 + below(others - 1)));
    }
    if (gpus_ > 2 && below(2) == 0) join("gpu0", "gpu1");
  }
  const TopologyConfig& config() const { return config_; }
  std::uint32_t gpus() const { return gpus_; }
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

 private:
  static std::string vertex(std::uint32_t v) { return "v" + std::to_string(v); }
  // Of any kind but the first; a tree, and some links more.
  void add_vertex(std::uint32_t v) {
    VertexConfig& vertex_config = config_.vertices[vertex(v)];
    if (v == 0) return;
    vertex_config.kind = std::array{VertexKind::switched, VertexKind::card, VertexKind::memory}[below(3)];
    vertex_config.latency_ps = below(2) * 100'000;
    if (below(2) == 0) vertex_config.rate_Bps = (1 + below(100)) * 1'000'000'000ULL;
    const std::uint32_t to = below(v);
    join(vertex(v), vertex(to));
    for (std::uint32_t more = 0; more < v; ++more)
      if (more != to && below(3) == 0) join(vertex(v), vertex(more));
  }
  void join(const std::string& from, const std::string& to) {
    LinkSpec link;
    link.from = from;
    link.to = to;
    link.bandwidth_Bps = (1 + below(200)) * 1'000'000'000ULL;
    link.latency_ps = (1 + below(5)) * 100'000;
    link.header_bytes = below(3) * 16;
    link.channels = kLongestRoute;
    link.peer_access = below(8) != 0 || to == "v0";
    config_.links.push_back(link);
  }

  std::mt19937 random_;
  std::uint32_t gpus_;
  TopologyConfig config_;
};

// Least cost between all vertices by Floyd and Warshall, as routes are meant to be: peer access or not.
class Distances {
 public:
  Distances(const Graph& graph, bool peer) : n_(graph.vertices().size()), d_(n_ * n_, kFar) {
    for (const GraphLink& l : graph.links())
      if (l.peer_access || !peer) at(l.from, l.to) = l.latency_ps + graph.vertex(l.to).latency_ps;
    for (std::size_t k = graph.gpus(); k < n_; ++k) {
      if (graph.vertex(static_cast<std::uint32_t>(k)).kind == VertexKind::memory) continue;
      for (std::size_t i = 0; i < n_; ++i)
        for (std::size_t j = 0; j < n_; ++j) at(i, j) = std::min(at(i, j), at(i, k) + at(k, j));
    }
  }
  std::uint64_t& at(std::size_t from, std::size_t to) { return d_[from * n_ + to]; }

 private:
  static constexpr std::uint64_t kFar = 1ULL << 40;
  std::size_t n_;
  std::vector<std::uint64_t> d_;
};

void expect_least_latency(const Topology& topology) {
  const Graph& graph = topology.graph;
  Distances peer(graph, true), any(graph, false);
  for (std::uint32_t from = 0; from < graph.gpus(); ++from)
    for (std::uint32_t to = 0; to < graph.gpus(); ++to) {
      if (from == to) continue;
      std::uint64_t least = peer.at(from, to), taken = 0;
      for (std::uint32_t m = 0; m < graph.vertices().size(); ++m)
        if (graph.vertex(m).kind == VertexKind::memory)
          least = std::min(least, any.at(from, m) + any.at(m, to));
      std::uint32_t at = from;
      for (const Hop& hop : topology.routes.route(from, to)) {
        ASSERT_EQ(graph.link(hop.link).from, at);
        at = graph.link(hop.link).to;
        taken += graph.link(hop.link).latency_ps + graph.vertex(at).latency_ps;
      }
      ASSERT_EQ(at, to);
      ASSERT_EQ(taken, least) << describe_route(graph, topology.routes.route(from, to));
    }
}

// A collective's transfers, each a few packets of any size; what they add to each link.
std::vector<std::uint64_t> send_plan(RandomGraph& random, const Topology& topology, SmallNet& net) {
  std::vector<std::uint64_t> bytes(topology.graph.links().size());
  const auto names = plan_library::names();
  const std::string& name = names[random.below(static_cast<std::uint32_t>(names.size()))];
  const bool nodes = name.starts_with("two-level");
  const std::uint32_t gpus = random.gpus();
  const CollectivePlan plan = plan_library::load(name, gpus, nodes ? (gpus % 2 == 0 ? gpus / 2 : 1) : 0);
  const auto send = [&](std::uint16_t from, std::uint16_t to) {
    for (std::uint32_t i = 1 + random.below(6); i > 0; --i) {
      const Request request = packet(static_cast<std::uint8_t>(1 + random.below(15)));
      net.gpus[from]->send(to, request);
      for (const Hop& hop : topology.routes.route(from, to)) bytes[hop.link] += request_bytes(request);
    }
  };
  for (std::uint16_t g = 0; g < gpus; ++g)
    for (const ChunkPlan& chunk : plan.gpus[g].chunks) {
      if (chunk.producer == ChunkPlan::Producer::remote) send(g, chunk.remote.gpu);
      for (const Transfer& transfer : chunk.dma) send(g, transfer.gpu);
    }
  return bytes;
}

std::vector<std::uint64_t> carried(const Topology& topology, const SmallNet& net) {
  std::vector<std::uint64_t> bytes(topology.graph.links().size());
  for (std::uint32_t g = 0; g < net.gpus.size(); ++g)
    for (std::size_t p = 0; p < topology.graph.out(g).size(); ++p)
      bytes[topology.graph.out(g)[p]] = net.gpus[g]->out.ports()[p]->stats().bytes;
  for (const auto& output : net.fabric->network()->outputs())
    if (output) bytes[output->link()] = output->stats().bytes;
  return bytes;
}

void expect_all_credits_back(const Topology& topology, const SmallNet& net) {
  for (const auto& output : net.fabric->network()->outputs())
    for (std::uint32_t c = 0; output && c < topology.graph.channels(output->link()); ++c)
      ASSERT_EQ(output->credits(c), topology.graph.link(output->link()).buffer_bytes);
}

TEST(ThousandRandomGraphs, CarryExactlyThePlansBytesOnEveryLink) {
  for (unsigned seed = 0; seed < draws(1000U); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomGraph random(seed);
    const auto topology = make_topology(random.config(), random.gpus());
    expect_least_latency(*topology);
    ASSERT_EQ(looping(topology->graph, topology->routes), "");
    ASSERT_EQ(deadlocking(topology->graph, topology->routes), "");
    SmallNet net(random.config(), random.gpus());
    const auto expected = send_plan(random, *topology, net);
    net.run();
    ASSERT_TRUE(net.fabric->idle()) << net.fabric->describe_waiting();
    ASSERT_EQ(net.received_bytes(), net.sent_bytes());
    ASSERT_EQ(carried(*topology, net), expected);
    expect_all_credits_back(*topology, net);
    if (HasFatalFailure()) return;
  }
}

// What the check before the run says is what would happen: with one channel the ring of switches stops.
TEST(RingOfSwitches, StopsAsTheCheckSays) {
  TopologyConfig config;
  config.kind = TopologyKind::graph;
  config.link.buffer_bytes = 4096;
  config.vertices["s[0-3]"] = {};
  LinkSpec ring, gpus;
  ring.from = "s[0-3]";
  ring.to = "s[1,2,3,0]";
  ring.one_way = true;
  gpus.from = "gpu[0-3]";
  gpus.to = "s[0-3]";
  gpus.bandwidth_Bps = 600'000'000'000;
  config.links = {gpus, ring};
  for (const std::uint32_t channels : {1U, 4U}) {
    config.links[1].channels = channels;
    const auto topology = make_topology(config, 4);
    EXPECT_EQ(deadlocking(topology->graph, topology->routes).empty(), channels == 4);
    SmallNet net(config, 4);
    for (std::uint16_t g = 0; g < 4; ++g)
      for (int i = 0; i < 1000; ++i) net.gpus[g]->send(static_cast<std::uint16_t>((g + 3) % 4), packet());
    net.run();
    EXPECT_EQ(net.fabric->idle(), channels == 4);
  }
}

}  // namespace
}  // namespace t3sim
