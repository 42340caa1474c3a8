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

struct Preset {
  TopologyKind kind;
  Topology (*make)(const TopologyConfig& config, std::uint32_t gpus);
};
constexpr Preset kPresets[] = {
    {TopologyKind::ring, with_shortest_routes<paper_graph>},
    {TopologyKind::bidirectional_ring, with_shortest_routes<paper_graph>},
    {TopologyKind::fully_connected, with_shortest_routes<paper_graph>},
    {TopologyKind::switched, with_shortest_routes<paper_graph>},
    {TopologyKind::two_level, with_shortest_routes<paper_graph>},
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
