// How the GPUs are joined: which ports each GPU has, and what lies behind them.
//
//   ring                 one link, to GPU r - 1 (Figure 7)
//   bidirectional-ring   a link to GPU r - 1 and one to GPU r + 1; with two GPUs these are one
//   fully-connected      a link to every other GPU (7.1), or one port, out and in, whose bandwidth they share
//   switch               one port to a switch with a port a GPU; it may add updates up (7.4)
//   two-level            fully connected nodes; one port a GPU, out and in, to all GPUs of other nodes (7.8)
//
// Nothing is forwarded by GPUs: what no port leads to cannot be reached.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace t3sim {

namespace config {
class Sources;
}

enum class TopologyKind : std::uint8_t { ring, bidirectional_ring, fully_connected, switched, two_level };

struct LinkConfig {
  std::uint64_t bandwidth_Bps = 75'000'000'000;  // in each direction
  std::uint64_t latency_ps = 500'000;
  static constexpr std::uint64_t kAutomaticBuffer = 0;
  std::uint64_t buffer_bytes = kAutomaticBuffer;  // at the receiver: the sender's credits (link_buffer.h)
  std::uint64_t header_bytes = 0;                 // that each packet of up to 128 bytes adds on the wire
  std::uint64_t metadata_bytes = 0;               // that a tracked one adds to that (tracker.metadata)
  std::uint64_t store_queue = 64;                 // remote stores to a GPU that wait to be sent
};

enum class SwitchReduction : std::uint8_t { none, in_switch };

struct SwitchConfig {
  SwitchReduction reduction = SwitchReduction::none;
  std::uint64_t table_lines = 65536;  // sums that are being made or wait to be sent on, 128 bytes each
};

struct TopologyConfig {
  TopologyKind kind = TopologyKind::ring;
  LinkConfig link;
  bool shared_port = false;                            // fully-connected
  std::uint32_t node_size = 4;                         // two-level: GPUs a node
  std::uint64_t outer_bandwidth_Bps = 25'000'000'000;  // two-level: between nodes, a GPU
  std::uint64_t outer_latency_ps = 2'000'000;
  SwitchConfig switched;
};

// A way out of a GPU: one serialiser, and the GPUs that it leads to.
struct PortSpec {
  std::string name;  // "link.out", and which one where there are several
  std::uint64_t bandwidth_Bps = 0;
  std::uint64_t latency_ps = 0;  // to the other end: a GPU or the switch
  std::vector<std::uint16_t> gpus;
  std::uint64_t buffer_bytes = 0;  // at the other end, for packets to each of the GPUs
};

// A way into a GPU, and the GPUs whose packets come in there.
struct WayIn {
  std::string name;  // "link.in", and which one where there are several
  // Of the one port that they share; 0: each GPU has a link of its own, limited at its other end.
  std::uint64_t bandwidth_Bps = 0;
  std::uint64_t latency_ps = 0;  // of credits on their way back
  bool from_switch = false;      // the switch's output is the port, and all share one buffer
  std::vector<std::uint16_t> gpus;
  std::uint64_t buffer_bytes = 0;  // that one
};

struct GpuPorts {
  std::vector<PortSpec> out;
  std::vector<WayIn> in;
};

// The ports of GPU `gpu` of `gpus`.
GpuPorts gpu_ports(const TopologyConfig& config, std::uint32_t gpus, std::uint16_t gpu);

// From one GPU to another.
using Route = std::pair<std::uint16_t, std::uint16_t>;
// What is wrong with the first route that does not exist, and what there is instead; empty if all exist.
std::string unreachable(const TopologyConfig& config, std::uint32_t gpus, const std::vector<Route>& routes);

// Throws InputError for settings of topology.* that do not go together. `mirror`: one GPU stands for all.
void check_topology(const TopologyConfig& config, std::uint32_t gpus, bool mirror,
                    const config::Sources& sources);

}  // namespace t3sim
