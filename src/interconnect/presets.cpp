// The table of kinds (docs/extending.md).
#include "interconnect/presets.h"

#include <algorithm>
#include <stdexcept>

namespace t3sim {

// One file each. Only this table calls them.
Graph paper_graph(const TopologyConfig& config, std::uint32_t gpus);
Topology grid(const TopologyConfig& config, std::uint32_t gpus);
Graph fat_tree(const TopologyConfig& config, std::uint32_t gpus);
Graph pcie_tree(const TopologyConfig& config, std::uint32_t gpus);
Topology described_graph(const TopologyConfig& config, std::uint32_t gpus);

namespace {

template <Graph (*make)(const TopologyConfig&, std::uint32_t)>
Topology with_shortest_routes(const TopologyConfig& config, std::uint32_t gpus) {
  Graph graph = make(config, gpus);
  Routes routes = shortest_routes(graph);
  return {std::move(graph), std::move(routes)};
}

// GPUs of a node use the links between them, even where the way to other nodes is shorter.
Topology two_level(const TopologyConfig& config, std::uint32_t gpus) {
  Topology made = with_shortest_routes<paper_graph>(config, gpus);
  const Graph& graph = made.graph;
  for (std::uint32_t l = 0; l < graph.links().size(); ++l) {
    const auto [from, to] = std::pair(graph.link(l).from, graph.link(l).to);
    if (graph.is_gpu(from) && graph.is_gpu(to)) made.routes.set(from, to, in_channels(graph, {l}, to));
  }
  return made;
}

struct Preset {
  TopologyKind kind;
  Topology (*make)(const TopologyConfig& config, std::uint32_t gpus);
};
constexpr Preset kPresets[] = {
    {TopologyKind::ring, with_shortest_routes<paper_graph>},
    {TopologyKind::bidirectional_ring, with_shortest_routes<paper_graph>},
    {TopologyKind::fully_connected, with_shortest_routes<paper_graph>},
    {TopologyKind::switched, with_shortest_routes<paper_graph>},
    {TopologyKind::two_level, two_level},
    {TopologyKind::mesh, grid},
    {TopologyKind::torus, grid},
    {TopologyKind::fat_tree, with_shortest_routes<fat_tree>},
    {TopologyKind::pcie_tree, with_shortest_routes<pcie_tree>},
    {TopologyKind::graph, described_graph},
};

}  // namespace

Topology preset(const TopologyConfig& config, std::uint32_t gpus) {
  const auto* found = std::ranges::find(kPresets, config.kind, &Preset::kind);
  if (found == std::end(kPresets)) throw std::logic_error("a kind of topology that is not in the table");
  return found->make(config, gpus);
}

}  // namespace t3sim
