// The graphs and routes of the kinds of topology.
#pragma once

#include "interconnect/topology.h"

namespace t3sim {

// Those of the kinds that the paper names: ring, bidirectional-ring, fully-connected, switch, two-level.
Graph paper_graph(const TopologyConfig& config, std::uint32_t gpus);
// Throw TopologyError.
Topology grid(const TopologyConfig& config, std::uint32_t gpus);  // mesh, torus
Graph fat_tree(const TopologyConfig& config, std::uint32_t gpus);
Graph pcie_tree(const TopologyConfig& config, std::uint32_t gpus);
Topology described_graph(const TopologyConfig& config, std::uint32_t gpus);

// "nic[0-2]" is nic0, nic1, nic2. Throws InputError.
std::vector<std::string> expand_names(const std::string& text);

// A link as topology.* describe it, from one vertex to another.
inline GraphLink plain_link(const TopologyConfig& config, std::uint32_t from, std::uint32_t to,
                            std::uint64_t latency_ps) {
  return {
      from, to, config.link.bandwidth_Bps, latency_ps, config.link.buffer_bytes, config.link.header_bytes};
}

}  // namespace t3sim
