// Graphs of the machines that the paper names (sections 5.1, 7.1, 7.4, 7.8).
#include "interconnect/presets.h"

namespace t3sim {
namespace {

class PaperGraph {
 public:
  PaperGraph(const TopologyConfig& config, std::uint32_t gpus) : config_(config), gpus_(gpus), graph_(gpus) {}

  Graph build() {
    switch (config_.kind) {
      case TopologyKind::ring:
        for (std::uint32_t g = 0; g < gpus_; ++g) link(g, down(g));
        break;
      case TopologyKind::bidirectional_ring:
        for (std::uint32_t g = 0; g < gpus_; ++g) {
          link(g, down(g));
          if (up(g) != down(g)) link(g, up(g));
        }
        break;
      case TopologyKind::fully_connected:
        if (config_.shared_port)
          shared_ports("wire", config_.link.bandwidth_Bps, config_.link.latency_ps);
        else
          full(gpus_);
        break;
      case TopologyKind::switched:
        through_switch();
        break;
      default:
        full(config_.node_size);
        if (gpus_ > config_.node_size)
          shared_ports("outer", config_.outer_bandwidth_Bps, config_.outer_latency_ps);
    }
    return std::move(graph_);
  }

 private:
  std::uint32_t down(std::uint32_t g) const { return (g + gpus_ - 1) % gpus_; }
  std::uint32_t up(std::uint32_t g) const { return (g + 1) % gpus_; }
  void link(std::uint32_t from, std::uint32_t to) {
    graph_.add(plain_link(config_, from, to, config_.link.latency_ps));
  }
  // Between all GPUs of a node. Nearer ones first: gpu + 1, gpu + 2, ...
  void full(std::uint32_t node) {
    for (std::uint32_t g = 0; g < gpus_; ++g)
      for (std::uint32_t d = 1; d < gpus_; ++d)
        if (const std::uint32_t to = (g + d) % gpus_; to / node == g / node) link(g, to);
  }
  // A port a GPU, out and in.
  void shared_ports(const std::string& name, std::uint64_t bandwidth_Bps, std::uint64_t latency_ps) {
    const std::uint32_t wire = graph_.add(Vertex{name, VertexKind::wire});
    for (std::uint32_t g = 0; g < gpus_; ++g) {
      GraphLink port = plain_link(config_, g, wire, latency_ps);
      port.bandwidth_Bps = bandwidth_Bps;
      port.channels = kByDestination;
      graph_.add(port);
      std::swap(port.from, port.to);
      port.latency_ps = 0;
      graph_.add(port);
    }
  }
  // Half of the latency lies before the switch, half behind it. It has a buffer for each GPU that sends and
  // each that receives.
  void through_switch() {
    const std::uint32_t middle = graph_.add(Vertex{"switch", VertexKind::switched});
    const std::uint64_t before = config_.link.latency_ps / 2;
    for (std::uint32_t g = 0; g < gpus_; ++g) {
      GraphLink to = plain_link(config_, g, middle, before);
      to.channels = kByDestination;
      graph_.add(to);
      graph_.add(plain_link(config_, middle, g, config_.link.latency_ps - before));
    }
  }

  const TopologyConfig& config_;
  std::uint32_t gpus_;
  Graph graph_;
};

}  // namespace

Graph paper_graph(const TopologyConfig& config, std::uint32_t gpus) {
  return PaperGraph(config, gpus).build();
}

}  // namespace t3sim
