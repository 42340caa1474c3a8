// How the GPUs are joined: which ports each GPU has, and what lies behind them.
//
//   ring                 one link, to GPU r - 1 (Figure 7)
//   bidirectional-ring   a link to GPU r - 1 and one to GPU r + 1; with two GPUs these are one
//   fully-connected      a link to every other GPU (7.1), or one port, out and in, whose bandwidth they share
//   switch               one port to a switch with a port a GPU; it may add updates up (7.4)
//   two-level            fully connected nodes; one port a GPU, out and in, to all GPUs of other nodes (7.8)
//   mesh, torus          a switch beside each GPU, in a grid of one to three dimensions; dimension order
//   fat-tree             leaf switches of `node_size` GPUs below `spines` others
//   pcie-tree            nodes of sockets, each with GPUs, a host's memory and network cards
//   graph                what `vertices`, `links` and `routes` say
//
// Each kind makes a graph (graph.h) and routes through it (routes.h). Nothing is forwarded by GPUs: what no
// route leads to cannot be reached.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/names.h"
#include "interconnect/routes.h"

namespace t3sim {

namespace config {
class Sources;
class Visitor;
}  // namespace config

enum class TopologyKind : std::uint8_t {
  ring,
  bidirectional_ring,
  fully_connected,
  switched,
  two_level,
  mesh,
  torus,
  fat_tree,
  pcie_tree,
  graph
};
constexpr auto names_of(TopologyKind) {
  return std::array{Named{"ring", TopologyKind::ring},
                    Named{"bidirectional-ring", TopologyKind::bidirectional_ring},
                    Named{"fully-connected", TopologyKind::fully_connected},
                    Named{"switch", TopologyKind::switched},
                    Named{"two-level", TopologyKind::two_level},
                    Named{"mesh", TopologyKind::mesh},
                    Named{"torus", TopologyKind::torus},
                    Named{"fat-tree", TopologyKind::fat_tree},
                    Named{"pcie-tree", TopologyKind::pcie_tree},
                    Named{"graph", TopologyKind::graph}};
}

struct LinkConfig {
  std::uint64_t bandwidth_Bps = 75'000'000'000;  // in each direction
  std::uint64_t latency_ps = 500'000;
  static constexpr std::uint64_t kAutomaticBuffer = 0;
  std::uint64_t buffer_bytes = kAutomaticBuffer;  // at the receiver: the sender's credits (link_buffer.h)
  std::uint64_t header_bytes = 0;                 // that each packet of up to 128 bytes adds on the wire
  std::uint64_t bulk_packet_bytes = 128;          // payload of a copy engine's packet, a multiple of 128
  std::uint64_t metadata_bytes = 0;               // that a tracked one adds to that (tracker.metadata)
  // What a copy engine that pulls sends for each packet of it that it gets; none: nothing.
  std::optional<std::uint64_t> pull_request_bytes;
  std::uint64_t store_queue = 64;  // remote stores to a GPU that wait to be sent
  bool operator==(const LinkConfig&) const = default;
};

enum class SwitchReduction : std::uint8_t { none, in_switch };

struct SwitchConfig {
  SwitchReduction reduction = SwitchReduction::none;
  std::uint64_t table_lines = 65536;  // sums that are being made or wait to be sent on, 128 bytes each
  bool operator==(const SwitchConfig&) const = default;
};

// kind: graph. Names may hold a range: "nic[0-7]", "gpu[0-3,8-11]".
struct VertexConfig {
  VertexKind kind = VertexKind::switched;   // switched, card or memory
  std::optional<std::uint64_t> latency_ps;  // none: 0, of switches only
  std::optional<std::uint64_t> rate_Bps;    // none: only its links limit
  bool operator==(const VertexConfig&) const = default;
};
// Between the vertices of two lists: pairwise if they are as long, else from all to one or one to all.
struct LinkSpec {
  std::string from, to;
  std::optional<std::uint64_t> bandwidth_Bps, latency_ps, buffer_bytes, header_bytes;  // none: topology.*
  std::uint32_t channels = 1;
  bool one_way = false;
  bool peer_access = true;
  bool operator==(const LinkSpec&) const = default;
};
// From each of some GPUs to each of others, by way of `via`: names of vertices, in order.
struct RouteSpec {
  std::string from, to, via;
  bool operator==(const RouteSpec&) const = default;
};

// Who posts puts to network cards: what DMA engines send over a card is a put, or packets like any other.
enum class CardPuts : std::uint8_t { none, gpu, host };
// What network cards make of puts (network_card.h).
struct CardConfig {
  std::uint32_t queue = 128;       // puts of a poster that wait or are under way
  std::uint64_t put_time_ps = 0;   // between the starts of two puts
  std::uint64_t host_time_ps = 0;  // that a put costs the host that posts it
  CardPuts puts = CardPuts::none;
  bool operator==(const CardConfig&) const = default;
};

// kind: pcie-tree.
struct PcieConfig {
  std::uint32_t sockets = 2;  // a node
  std::uint32_t gpus_per_socket = 4;
  std::uint32_t cards = 1;   // a socket
  bool peer_access = false;  // between GPUs of two sockets
  std::uint64_t socket_bandwidth_Bps = 40'000'000'000, socket_latency_ps = 200'000;
  std::uint64_t memory_bandwidth_Bps = 100'000'000'000, memory_latency_ps = 300'000;  // of a host, a socket
  std::optional<std::uint64_t> card_rate_Bps;  // none: only its links limit
  std::uint64_t card_latency_ps = 800'000;
  bool operator==(const PcieConfig&) const = default;
};

struct TopologyConfig {
  TopologyKind kind = TopologyKind::ring;
  LinkConfig link;
  bool shared_port = false;                            // fully-connected
  std::uint32_t node_size = 4;                         // two-level: GPUs a node
  std::uint64_t outer_bandwidth_Bps = 25'000'000'000;  // two-level: between nodes, a GPU
  std::uint64_t outer_latency_ps = 2'000'000;
  SwitchConfig switched;
  std::array<std::uint32_t, 3> shape{4, 4, 1};  // mesh, torus: GPUs in each dimension
  std::uint64_t hop_latency_ps = 250'000;       // mesh, torus: of each further GPU on the way
  std::uint32_t spines = 4;                     // fat-tree
  PcieConfig pcie;
  CardConfig card;
  std::map<std::string, VertexConfig> vertices;  // graph, beside the GPUs: gpu0, gpu1, ...
  std::vector<LinkSpec> links;
  std::vector<RouteSpec> routes;  // those that are not the shortest
  // gpus.overrides.*.link_bandwidth, by GPU: of its own links, where others have `bandwidth`.
  std::map<std::uint32_t, std::uint64_t> own_bandwidth_Bps;
  bool operator==(const TopologyConfig&) const = default;
};

// A graph and the routes through it.
struct Topology {
  Graph graph;
  Routes routes;
};
// Throws TopologyError for a description that makes no sense. What was made last is kept: asking again for the
// same is cheap. Thread-safe.
std::shared_ptr<const Topology> make_topology(const TopologyConfig& config, std::uint32_t gpus);

// Are there vertices between the GPUs that the presets of the paper's machines do not have? They are simulated,
// shown and explained link by link.
bool is_network(TopologyKind kind);

// A key of the configuration, below `topology`, and what is wrong with it.
struct TopologyError : InputError {
  TopologyError(std::string key_, const std::string& what_) : InputError(what_), key(std::move(key_)) {}
  std::string key;
};

void describe(config::Visitor& v, TopologyConfig& c);

// A way out of a GPU: one serialiser, and the GPUs that it leads to.
struct PortSpec {
  std::string name;  // "link.out", and which one where there are several
  std::uint64_t bandwidth_Bps = 0;
  std::uint64_t latency_ps = 0;  // to the other end: a GPU or a switch
  std::vector<std::uint16_t> gpus;
  std::uint64_t buffer_bytes = 0;  // at the other end, for packets to each of the GPUs, or of each channel
  std::uint64_t header_bytes = 0;
  // By GPU: in which channel its packets wait. Empty: each in one of its own.
  std::vector<std::uint32_t> channels = {};
};

// A way into a GPU, and the GPUs whose packets come in there.
struct WayIn {
  std::string name;  // "link.in", and which one where there are several
  // Of the one port that they share; 0: each GPU has a link of its own, limited at its other end.
  std::uint64_t bandwidth_Bps = 0;
  std::uint64_t latency_ps = 0;  // of credits on their way back
  bool from_switch = false;      // a switch's output is the port, and all share one buffer
  std::vector<std::uint16_t> gpus;
  std::uint64_t buffer_bytes = 0;  // that one
  std::uint32_t link = 0;          // of the graph: where they come from
};

struct GpuPorts {
  std::vector<PortSpec> out;
  std::vector<WayIn> in;
};

// The ports of GPU `gpu` of `gpus`.
GpuPorts gpu_ports(const TopologyConfig& config, std::uint32_t gpus, std::uint16_t gpu);

// From one GPU to another.
using Route = std::pair<std::uint16_t, std::uint16_t>;
// A GPU without a link out or in; empty if there is none.
std::string unconnected(const Topology& topology);
// What is wrong with the first route that does not exist, and what there is instead; empty if all exist.
std::string unreachable(const TopologyConfig& config, std::uint32_t gpus, const std::vector<Route>& routes);

// Throws InputError for settings of topology.* that do not go together.
void check_topology(const TopologyConfig& config, std::uint32_t gpus, const config::Sources& sources);

}  // namespace t3sim
