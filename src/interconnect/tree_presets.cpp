// Fat trees of two levels, and servers on PCIe.
#include <fmt/format.h>

#include "interconnect/presets.h"

namespace t3sim {
namespace {

class PcieTree {
 public:
  PcieTree(const TopologyConfig& config, std::uint32_t gpus)
      : config_(config), pcie_(config.pcie), graph_(gpus) {
    const std::uint32_t node = pcie_.sockets * pcie_.gpus_per_socket;
    if (gpus % node != 0)
      throw TopologyError("pcie.gpus_per_socket",
                          fmt::format("{} GPUs do not divide into nodes of {} sockets "
                                      "with {} GPUs each",
                                      gpus, pcie_.sockets, pcie_.gpus_per_socket));
    if (gpus > node && pcie_.cards == 0)
      throw TopologyError("pcie.cards", fmt::format("{} nodes need network cards", gpus / node));
    several_nodes_ = gpus > node;
  }

  Graph build() {
    const std::uint32_t sockets = graph_.gpus() / pcie_.gpus_per_socket;
    for (std::uint32_t s = 0; s < sockets; ++s)
      roots_.push_back(graph_.add(Vertex{fmt::format("socket{}", s)}));
    if (several_nodes_) network_ = graph_.add(Vertex{"network"});
    for (std::uint32_t s = 0; s < sockets; ++s) {
      join_gpus(s);
      add_memory(s);
      for (std::uint32_t c = 0; c < pcie_.cards; ++c) add_card(s, c);
      for (std::uint32_t other = s / pcie_.sockets * pcie_.sockets; other < s; ++other)
        join_sockets(other, s);
    }
    return std::move(graph_);
  }

 private:
  // Half of the latency between two GPUs of a socket lies on either side of its root.
  void join_gpus(std::uint32_t socket) {
    for (std::uint32_t g = 0; g < pcie_.gpus_per_socket; ++g)
      graph_.join(plain_link(config_, socket * pcie_.gpus_per_socket + g, roots_[socket],
                             config_.link.latency_ps / 2));
  }
  // What is stored is written and read: half of the memory's bandwidth.
  void add_memory(std::uint32_t socket) {
    const std::uint32_t memory = graph_.add(Vertex{fmt::format("memory{}", socket), VertexKind::memory,
                                                   pcie_.memory_latency_ps, pcie_.memory_bandwidth_Bps / 2});
    GraphLink link = plain_link(config_, roots_[socket], memory, 1000);
    link.bandwidth_Bps = pcie_.memory_bandwidth_Bps;
    link.header_bytes = 0;
    graph_.join(link);
  }
  void add_card(std::uint32_t socket, std::uint32_t number) {
    const std::uint32_t card =
        graph_.add(Vertex{fmt::format("card{}", socket * pcie_.cards + number), VertexKind::card,
                          pcie_.card_latency_ps, pcie_.card_rate_Bps.value_or(0)});
    graph_.join(plain_link(config_, roots_[socket], card, config_.link.latency_ps / 2));
    if (!several_nodes_) return;
    GraphLink out = plain_link(config_, card, network_, config_.outer_latency_ps / 2);
    out.bandwidth_Bps = config_.outer_bandwidth_Bps;
    graph_.join(out);
  }
  void join_sockets(std::uint32_t a, std::uint32_t b) {
    GraphLink link = plain_link(config_, roots_[a], roots_[b], pcie_.socket_latency_ps);
    link.bandwidth_Bps = pcie_.socket_bandwidth_Bps;
    link.peer_access = pcie_.peer_access;
    graph_.join(link);
  }

  const TopologyConfig& config_;
  const PcieConfig& pcie_;
  bool several_nodes_ = false;
  Graph graph_;
  std::vector<std::uint32_t> roots_;
  std::uint32_t network_ = 0;
};

}  // namespace

// Latency as topology.latency says inside a leaf, topology.outer_latency between leaves.
Graph fat_tree(const TopologyConfig& config, std::uint32_t gpus) {
  if (gpus % config.node_size != 0)
    throw TopologyError("node_size",
                        fmt::format("{} GPUs do not divide into leaves of {}", gpus, config.node_size));
  if (config.outer_latency_ps < config.link.latency_ps + 2)
    throw TopologyError("outer_latency", "between leaves must be more than topology.latency, inside one");
  Graph graph(gpus);
  std::vector<std::uint32_t> leaves, spines;
  for (std::uint32_t l = 0; l < gpus / config.node_size; ++l)
    leaves.push_back(graph.add(Vertex{fmt::format("leaf{}", l)}));
  for (std::uint32_t s = 0; s < config.spines; ++s)
    spines.push_back(graph.add(Vertex{fmt::format("spine{}", s)}));
  for (std::uint32_t g = 0; g < gpus; ++g)
    graph.join(plain_link(config, g, leaves[g / config.node_size], config.link.latency_ps / 2));
  for (const std::uint32_t leaf : leaves)
    for (const std::uint32_t spine : spines) {
      GraphLink up = plain_link(config, leaf, spine, (config.outer_latency_ps - config.link.latency_ps) / 2);
      up.bandwidth_Bps = config.outer_bandwidth_Bps;
      graph.join(up);
    }
  return graph;
}

Graph pcie_tree(const TopologyConfig& config, std::uint32_t gpus) { return PcieTree(config, gpus).build(); }

}  // namespace t3sim
