#include "run/network_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"

namespace t3sim {
namespace {

void add_ports(const Gpu& gpu, const Graph& graph, LinkLoads& loads) {
  const auto& out = graph.out(gpu.spec().rank);
  for (std::size_t p = 0; p < out.size(); ++p) {
    const LinkStats& stats = gpu.parts().egress->ports()[p]->stats();
    loads.links[out[p]] = {stats.bytes, stats.busy};
  }
}

// What all GPUs have sent to one over a port that has no link to it alone.
std::uint64_t bytes_over_wire(const PhaseResult& result, std::uint32_t wire, std::uint16_t to) {
  const Topology& topology = result.fabric->topology();
  std::uint64_t bytes = 0;
  for (const auto& from : result.gpus)
    for (const auto& port : from->parts().egress->ports())
      for (unsigned lane = 0; lane < port->gpus().size(); ++lane) {
        if (port->gpus()[lane] != to) continue;
        if (topology.routes.route(from->spec().rank, to).back().link != wire) continue;
        for (const BusyIntervals::Interval& busy : port->sending(lane).intervals()) bytes += busy.amount;
      }
  return bytes;
}

// Ports into a GPU that are simulated in it.
void add_ways_in(const PhaseResult& result, const Gpu& gpu, LinkLoads& loads) {
  const Graph& graph = result.fabric->topology().graph;
  for (const WayIn& way : gpu.spec().ports.in) {
    if (graph.vertex(graph.link(way.link).from).kind != VertexKind::wire) continue;
    gpu.parts().ingress->for_each_shared_port([&](const std::string& name, Tick busy) {
      if (name == way.name)
        loads.links[way.link] = {bytes_over_wire(result, way.link, narrow<std::uint16_t>(gpu.spec().rank)),
                                 busy};
    });
  }
}

void add_network(const Network& network, LinkLoads& loads) {
  for (const auto& output : network.outputs())
    if (output) loads.links[output->link()] = {output->stats().bytes, output->busy()};
  for (std::size_t v = 0; v < network.passages().size(); ++v)
    if (const auto& passage = network.passages()[v]) loads.vertices[v] = {passage->bytes(), passage->busy()};
}

}  // namespace

LinkLoads link_loads(const PhaseResult& result) {
  LinkLoads loads;
  const Graph& graph = result.fabric->topology().graph;
  if (result.gpus.size() != graph.gpus()) return loads;  // one stands for all
  loads.links.resize(graph.links().size());
  loads.vertices.resize(graph.vertices().size());
  loads.time = result.ticks;
  for (const auto& gpu : result.gpus) {
    add_ports(*gpu, graph, loads);
    add_ways_in(result, *gpu, loads);
  }
  if (const Network* network = result.fabric->network()) add_network(*network, loads);
  return loads;
}

void add_fullest_link(const Config& config, const LinkLoads& loads, PhaseLimits& limits) {
  if (!is_network(config.topology.kind) || loads.links.empty()) return;
  const Fullest full = fullest(make_topology(topology_of(config), config.gpus.count)->graph, loads);
  if (full.share == 0) return;
  limits.fullest_link = full.name;
  limits.fullest_link_share = full.share;
}

Ordered<std::string> network_files(const Config& config, const std::vector<SchemeLoads>& schemes,
                                   const TimeBase& time) {
  Ordered<std::string> files;
  const auto topology = make_topology(topology_of(config), config.gpus.count);
  std::string csv;
  for (const auto& [scheme, loads] : schemes) {
    csv += links_csv(*topology, loads, time, scheme, csv.empty());
    const std::string title =
        fmt::format("{}, {}: {}", config.workload.name, scheme, to_string(config.topology.kind));
    files.emplace_back(fmt::format("topology-{}.svg", scheme),
                       picture(config.topology, *topology, loads, title));
  }
  files.emplace_back("links.csv", std::move(csv));
  return files;
}

std::string host_memory_warning(const Config& config, const std::vector<Route>& used) {
  const auto topology = make_topology(topology_of(config), config.gpus.count);
  std::vector<Route> through;
  std::ranges::copy_if(used, std::back_inserter(through), [&](const Route& route) {
    return way_of(topology->graph, topology->routes.route(route.first, route.second)) == Way::host_memory;
  });
  if (through.empty()) return {};
  const auto [from, to] = through.front();
  return fmt::format(
      "{} of the {} pairs of GPUs that send have no peer access or a farther way with it: what they "
      "send is stored in host memory and read again ({})",
      through.size(), used.size(), describe_route(topology->graph, topology->routes.route(from, to)));
}

}  // namespace t3sim
