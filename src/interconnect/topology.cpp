#include "interconnect/topology.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <mutex>

#include "base/number.h"
#include "config/config.h"
#include "interconnect/cards.h"
#include "interconnect/link_buffer.h"
#include "interconnect/presets.h"

namespace t3sim {
namespace {

// A place in a card's or memory's buffer is held while the packet is in it, too.
void size_buffers(const LinkConfig& config, Graph& graph) {
  for (std::uint32_t l = 0; l < graph.links().size(); ++l) {
    const GraphLink& link = graph.link(l);
    if (link.buffer_bytes != LinkConfig::kAutomaticBuffer) continue;
    LinkConfig shape = config;
    shape.header_bytes = link.header_bytes;
    const std::uint64_t held_ps = graph.vertex(link.to).latency_ps / 2;
    graph.set_buffer(l, automatic_buffer(shape, link.bandwidth_Bps, link.latency_ps + held_ps));
  }
}

// What a GPU sends over, and what a switch before it does. Not a two-level machine's links to other nodes: they alone meet in a
// wire there.
bool is_own_link(TopologyKind kind, const Graph& graph, std::uint32_t link, std::uint32_t gpu) {
  const GraphLink& l = graph.link(link);
  const Vertex& other = graph.vertex(l.from == gpu ? l.to : l.from);
  if (kind == TopologyKind::two_level && other.kind == VertexKind::wire) return false;
  return l.from == gpu || (l.to == gpu && !graph.is_gpu(l.from));
}

void set_own_bandwidths(const TopologyConfig& config, Graph& graph) {
  for (const auto& [gpu, bandwidth] : config.own_bandwidth_Bps)
    for (std::uint32_t l = 0; l < graph.links().size(); ++l)
      if (is_own_link(config.kind, graph, l, gpu)) graph.set_bandwidth(l, bandwidth);
}

// The other GPUs in the order of their distance: gpu + 1, gpu + 2, ... Who comes after whom at a port is thus
// the same for all GPUs, as seen by each of them.
std::vector<std::uint16_t> others(std::uint32_t gpus, std::uint16_t gpu) {
  std::vector<std::uint16_t> found;
  for (std::uint32_t d = 1; d < gpus; ++d) found.push_back(narrow<std::uint16_t>((gpu + d) % gpus));
  return found;
}

class PortBuilder {
 public:
  PortBuilder(const Topology& topology, std::uint16_t gpu)
      : graph_(topology.graph), routes_(topology.routes), gpu_(gpu) {}

  GpuPorts build() {
    for (const std::uint32_t link : graph_.out(gpu_)) add_out(link);
    add_ways_from_gpus();
    for (const std::uint32_t link : graph_.in(gpu_))
      if (!graph_.is_gpu(graph_.link(link).from)) add_in(link);
    return std::move(ports_);
  }

 private:
  // Links to GPUs have their number, unless there is only one; those to a switch its name.
  std::string name(std::string_view stem, std::uint32_t link, std::uint32_t other) const {
    const bool out = graph_.link(link).from == gpu_;
    const Vertex& vertex = graph_.vertex(other);
    if (vertex.kind == VertexKind::wire)
      return fmt::format("{}{}", stem, vertex.name == "outer" ? "[outer]" : "");
    const auto& all = out ? graph_.out(gpu_) : graph_.in(gpu_);
    const bool gpu = graph_.is_gpu(other);
    const auto alike = std::ranges::count_if(all, [&](std::uint32_t l) {
      return graph_.is_gpu(out ? graph_.link(l).to : graph_.link(l).from) == gpu;
    });
    if (alike == 1 && (gpu || all.size() == 1)) return std::string(stem);
    return gpu ? fmt::format("{}[{}]", stem, other) : fmt::format("{}[{}]", stem, vertex.name);
  }

  void add_out(std::uint32_t number) {
    const GraphLink& link = graph_.link(number);
    PortSpec port{name("link.out", number, link.to),
                  link.bandwidth_Bps,
                  link.latency_ps,
                  {},
                  link.buffer_bytes,
                  link.header_bytes,
                  {}};
    for (const std::uint16_t to : others(graph_.gpus(), gpu_)) {
      const auto route = routes_.route(gpu_, to);
      if (route.empty() || route.front().link != number) continue;
      port.gpus.push_back(to);
      port.channels.push_back(route.front().channel);
    }
    ports_.out.push_back(std::move(port));
  }

  // Links of their own, one way in for all of a latency: those that are also sent to first, in their order.
  void add_ways_from_gpus() {
    std::vector<std::uint32_t> links;
    for (const std::uint32_t out : graph_.out(gpu_))
      for (const std::uint32_t in : graph_.in(gpu_))
        if (graph_.link(in).from == graph_.link(out).to && graph_.is_gpu(graph_.link(out).to))
          links.push_back(in);
    for (const std::uint16_t other : others(graph_.gpus(), gpu_))
      for (const std::uint32_t in : graph_.in(gpu_))
        if (graph_.link(in).from == other && std::ranges::find(links, in) == links.end()) links.push_back(in);
    for (const std::uint32_t in : links) {
      const GraphLink& link = graph_.link(in);
      const auto same = std::ranges::find(ports_.in, link.latency_ps, &WayIn::latency_ps);
      WayIn& way = same != ports_.in.end()
                       ? *same
                       : ports_.in.emplace_back(WayIn{"link.in", 0, link.latency_ps, false, {}, 0, in});
      way.gpus.push_back(narrow<std::uint16_t>(link.from));
    }
  }

  void add_in(std::uint32_t number) {
    const GraphLink& link = graph_.link(number);
    WayIn way{name("link.in", number, link.from),
              link.bandwidth_Bps,
              link.latency_ps,
              true,
              {},
              link.buffer_bytes,
              number};
    for (const std::uint16_t from : others(graph_.gpus(), gpu_)) {
      const auto route = routes_.route(from, gpu_);
      if (route.empty() || route.back().link != number) continue;
      way.gpus.push_back(from);
      if (graph_.vertex(link.from).kind != VertexKind::wire) continue;
      way.from_switch = false;
      way.latency_ps = graph_.link(route.front().link).latency_ps;  // the wire itself takes none
    }
    ports_.in.push_back(std::move(way));
  }

  const Graph& graph_;
  const Routes& routes_;
  std::uint16_t gpu_;
  GpuPorts ports_;
};

// The key that decides a topology's routes.
std::string key_of_routes(const TopologyConfig& config) {
  if (config.kind != TopologyKind::graph) return "topology.kind";
  return config.routes.empty() ? "topology.links" : "topology.routes";
}

void check_cards(const TopologyConfig& config, const Topology& topology, const config::Sources& sources) {
  if (config.card.puts == CardPuts::none) return;
  const Graph& graph = topology.graph;
  if (std::ranges::find(graph.vertices(), VertexKind::card, &Vertex::kind) == graph.vertices().end())
    throw sources.error(
        "topology.card.puts",
        fmt::format("needs a network card; topology.kind {} has none here", to_string(config.kind)));
  for (std::uint32_t g = 0; g < graph.gpus() && config.card.puts == CardPuts::host; ++g)
    if (host_of(graph, g) == graph.vertices().size())
      throw sources.error("topology.card.puts",
                          fmt::format("host: gpu{} reaches no vertex of kind memory, where its host is", g));
}

void check_routes_of(const TopologyConfig& config, std::uint32_t gpus, const config::Sources& sources) {
  std::shared_ptr<const Topology> topology;
  try {
    topology = make_topology(config, gpus);
  } catch (const TopologyError& e) {
    throw sources.error("topology." + e.key, e.what());
  }
  check_cards(config, *topology, sources);
  if (!is_network(config.kind)) return;
  for (const std::string& wrong : {unconnected(*topology), looping(topology->graph, topology->routes),
                                   deadlocking(topology->graph, topology->routes)})
    if (!wrong.empty()) throw sources.error(key_of_routes(config), wrong);
}

}  // namespace

bool is_network(TopologyKind kind) { return kind >= TopologyKind::mesh; }

std::shared_ptr<const Topology> make_topology(const TopologyConfig& config, std::uint32_t gpus) {
  struct Known {
    TopologyConfig config;
    std::uint32_t gpus;
    std::shared_ptr<const Topology> topology;
  };
  constexpr std::size_t kKept = 16;
  static std::mutex mutex;
  static std::deque<Known> known;
  const std::lock_guard lock(mutex);
  for (const Known& k : known)
    if (k.gpus == gpus && k.config == config) return k.topology;
  auto topology = std::make_shared<Topology>(preset(config, gpus));
  set_own_bandwidths(config, topology->graph);
  size_buffers(config.link, topology->graph);
  if (known.size() == kKept) known.pop_front();
  known.push_back({config, gpus, topology});
  return topology;
}

GpuPorts gpu_ports(const TopologyConfig& config, std::uint32_t gpus, std::uint16_t gpu) {
  return PortBuilder(*make_topology(config, gpus), gpu).build();
}

std::string unconnected(const Topology& topology) {
  for (std::uint32_t g = 0; g < topology.graph.gpus(); ++g)
    if (topology.graph.out(g).empty() || topology.graph.in(g).empty())
      return fmt::format("gpu{} has no link {}", g, topology.graph.out(g).empty() ? "out" : "in");
  return {};
}

std::string unreachable(const TopologyConfig& config, std::uint32_t gpus, const std::vector<Route>& routes) {
  const auto topology = make_topology(config, gpus);
  for (const auto& [from, to] : routes) {
    if (from >= gpus || to >= gpus || from == to)
      return fmt::format("there is no way from GPU {} to GPU {}: {} GPUs are 0 to {}", from, to, gpus,
                         gpus - 1);
    if (topology->routes.reaches(from, to)) continue;
    std::vector<std::uint16_t> joined;
    for (const PortSpec& port : PortBuilder(*topology, from).build().out)
      joined.insert(joined.end(), port.gpus.begin(), port.gpus.end());
    return fmt::format("there is no {} from GPU {} to GPU {}: topology.kind {} joins GPU {} to {}",
                       is_network(config.kind) ? "way" : "link", from, to, to_string(config.kind), from,
                       joined.empty() ? "none" : fmt::format("GPU {} only", fmt::join(joined, " and GPU ")));
  }
  return {};
}

void check_topology(const TopologyConfig& config, std::uint32_t gpus, const config::Sources& sources) {
  if (config.shared_port && config.kind != TopologyKind::fully_connected)
    throw sources.error("topology.shared_port", "is of topology.kind fully-connected only");
  if (config.switched.reduction != SwitchReduction::none && config.kind != TopologyKind::switched)
    throw sources.error("topology.switch.reduction", "in-switch needs topology.kind: switch");
  for (const auto& [key, said] : {std::pair{"topology.vertices", !config.vertices.empty()},
                                  {"topology.links", !config.links.empty()},
                                  {"topology.routes", !config.routes.empty()}})
    if (said && config.kind != TopologyKind::graph)
      throw sources.error(key, "is of topology.kind graph only");
  if (config.kind == TopologyKind::two_level && gpus % config.node_size != 0)
    throw sources.error("topology.node_size",
                        fmt::format("{} GPUs do not divide into nodes of {}", gpus, config.node_size));
  check_routes_of(config, gpus, sources);
}

}  // namespace t3sim
