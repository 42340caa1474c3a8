// GPUs and what lies between them, as a graph: vertices joined by directed links.
//
// The GPUs are vertices 0 to n - 1, named gpu0, gpu1, ... They forward nothing: a machine whose GPUs do has a
// switch beside each of them, as the presets mesh and torus.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace t3sim {

enum class VertexKind : std::uint8_t {
  gpu,
  switched,  // queues for each of its outputs; cut through
  card,      // a network card: a switch that all packets pass one after the other
  memory,    // of a host: packets are stored and read again
  wire,      // no queues at all: the ports at its ends serialise (shared_port, two-level)
};
std::string_view to_string(VertexKind kind);

struct Vertex {
  std::string name;
  VertexKind kind = VertexKind::switched;
  std::uint64_t latency_ps = 0;  // that each packet spends in it
  std::uint64_t rate_Bps = 0;    // of all packets through it together; 0: only its links limit
};

struct GraphLink {
  std::uint32_t from = 0, to = 0;
  std::uint64_t bandwidth_Bps = 0, latency_ps = 0;
  std::uint64_t buffer_bytes =
      0;  // at its far end, of each channel: the near end's credits; 0: by bandwidth and latency
  std::uint64_t header_bytes = 0;  // that each packet adds on the wire
  std::uint32_t channels = 1;      // virtual channels; kByDestination: one for each GPU that packets go to
  bool peer_access = true;         // false: GPUs do not reach each other over it, only a host's memory
};
inline constexpr std::uint32_t kByDestination = 0;

class Graph {
 public:
  explicit Graph(std::uint32_t gpus);

  std::uint32_t add(Vertex vertex);
  std::uint32_t add(const GraphLink& link);
  void set_bandwidth(std::uint32_t link, std::uint64_t Bps) { links_[link].bandwidth_Bps = Bps; }
  void set_buffer(std::uint32_t link, std::uint64_t bytes) { links_[link].buffer_bytes = bytes; }
  // There and back.
  void join(GraphLink link);

  std::uint32_t gpus() const { return gpus_; }
  const std::vector<Vertex>& vertices() const { return vertices_; }
  const std::vector<GraphLink>& links() const { return links_; }
  const Vertex& vertex(std::uint32_t v) const { return vertices_[v]; }
  const GraphLink& link(std::uint32_t l) const { return links_[l]; }
  bool is_gpu(std::uint32_t v) const { return v < gpus_; }
  // Numbers of the links out of a vertex, or into it, as they were added.
  const std::vector<std::uint32_t>& out(std::uint32_t v) const { return out_[v]; }
  const std::vector<std::uint32_t>& in(std::uint32_t v) const { return in_[v]; }
  // "plx0>gpu3": what a link is called everywhere.
  std::string name(std::uint32_t link) const;
  std::uint32_t channels(std::uint32_t link) const;
  // The vertex of that name; vertices().size() if there is none.
  std::uint32_t find(std::string_view name) const;

 private:
  std::uint32_t gpus_;
  std::vector<Vertex> vertices_;
  std::vector<GraphLink> links_;
  std::vector<std::vector<std::uint32_t>> out_, in_;
};

}  // namespace t3sim
