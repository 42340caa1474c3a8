// A topology in words.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "config/units.h"
#include "interconnect/link_load.h"

namespace t3sim {
namespace {

constexpr std::size_t kMostWays = 12;

std::string quantity(const config::Quantity& kind, std::uint64_t value) {
  return config::format_quantity(kind, value);
}

// "4 GPUs, 2 switches, 1 card".
std::string vertices(const Graph& graph) {
  std::map<VertexKind, std::size_t> counts;
  for (const Vertex& v : graph.vertices()) ++counts[v.kind];
  std::string text;
  for (const auto& [kind, count] : counts) {
    const std::string name = kind == VertexKind::gpu ? "GPU" : std::string(to_string(kind));
    const char* plural = count == 1 ? "" : kind == VertexKind::switched ? "es" : "s";
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", count,
                        kind == VertexKind::memory && count > 1 ? "memorie" : name, plural);
  }
  return text;
}

// The name without its number, so that alike links are one line.
std::string stem(const std::string& name) { return name.substr(0, name.find_last_not_of("0123456789") + 1); }

std::string links(const Graph& graph) {
  std::map<std::tuple<std::string, std::uint64_t, std::uint64_t, std::uint64_t>, std::size_t> alike;
  for (const GraphLink& l : graph.links())
    ++alike[{stem(graph.vertex(l.from).name) + ">" + stem(graph.vertex(l.to).name), l.bandwidth_Bps,
             l.latency_ps, l.buffer_bytes}];
  std::string text;
  for (const auto& [what, count] : alike) {
    const auto& [name, bandwidth, latency, buffer] = what;
    text += fmt::format("  {:3} {:<18} {}, {}, buffers of {}\n", count, name,
                        quantity(config::kBandwidth, bandwidth), quantity(config::kTime, latency),
                        quantity(config::kSize, buffer));
  }
  return text;
}

struct WayCost {
  std::uint64_t latency_ps = 0, bandwidth_Bps = ~0ULL;
};
WayCost cost_of(const Graph& graph, std::span<const Hop> route) {
  WayCost cost;
  for (const Hop& hop : route) {
    const GraphLink& link = graph.link(hop.link);
    const Vertex& to = graph.vertex(link.to);
    cost.latency_ps += link.latency_ps + to.latency_ps;
    cost.bandwidth_Bps = std::min(cost.bandwidth_Bps, link.bandwidth_Bps);
    if (to.rate_Bps != 0) cost.bandwidth_Bps = std::min(cost.bandwidth_Bps, to.rate_Bps);
  }
  return cost;
}

}  // namespace

std::string explain(const TopologyConfig& config, const Topology& topology, const std::vector<Route>& used) {
  const Graph& graph = topology.graph;
  std::string text =
      fmt::format("topology {}: {}\n{}", to_string(config.kind), vertices(graph), links(graph));
  std::map<std::tuple<Way, std::uint64_t, std::uint64_t>, std::vector<Route>> ways;
  for (const auto& [from, to] : used) {
    const auto route = topology.routes.route(from, to);
    const WayCost cost = cost_of(graph, route);
    ways[{way_of(graph, route), cost.latency_ps, cost.bandwidth_Bps}].push_back({from, to});
  }
  text += fmt::format("ways of the {} pairs of GPUs that send:\n", used.size());
  std::size_t shown = 0;
  for (const auto& [what, pairs] : ways) {
    const auto& [way, latency, bandwidth] = what;
    if (++shown > kMostWays) break;
    text += fmt::format("  {:3} {}, {}, at most {}: {}\n", pairs.size(), to_string(way),
                        quantity(config::kTime, latency), quantity(config::kBandwidth, bandwidth),
                        describe_route(graph, topology.routes.route(pairs[0].first, pairs[0].second)));
  }
  if (ways.size() > kMostWays) text += fmt::format("  and {} other kinds of ways\n", ways.size() - kMostWays);
  return text;
}

}  // namespace t3sim
