#include "message/wires.h"

#include <algorithm>

namespace t3sim::message {
namespace {

__extension__ using Wide = unsigned __int128;

}  // namespace

Picoseconds Wires::Server::time(std::uint64_t bytes) const {
  return static_cast<Picoseconds>((static_cast<Wide>(bytes) * per_byte) >> 32);
}

Wires::Server Wires::server(std::uint64_t Bps) {
  if (Bps == 0) return {};
  return {static_cast<std::uint64_t>((Wide{1'000'000'000'000} << 32) / Bps), 0};
}

Wires::Wires(const Topology& topology, std::uint64_t packet_bytes)
    : topology_(topology), packet_bytes_(packet_bytes) {
  for (const GraphLink& link : topology.graph.links()) {
    Link made;
    made.wire = server(link.bandwidth_Bps);
    made.latency = link.latency_ps;
    made.header = link.header_bytes;
    made.to = link.to;
    made.packet = made.wire.time(packet_bytes + link.header_bytes);
    const Vertex& end = topology.graph.vertex(link.to);
    if (end.kind != VertexKind::card && end.kind != VertexKind::memory) {
      made.latency += end.latency_ps;
      made.to = kThrough;
    }
    links_.push_back(made);
  }
  for (const Vertex& vertex : topology.graph.vertices())
    places_.push_back({server(vertex.rate_Bps), vertex.latency_ps});
}

Train Wires::pass(std::uint32_t number, const Train& train, std::uint64_t bytes, Picoseconds& departed) {
  Link& link = links_[number];
  const std::uint64_t headers =
      link.header == 0 ? 0 : (bytes + packet_bytes_ - 1) / packet_bytes_ * link.header;
  const Picoseconds busy = link.wire.time(bytes + headers);
  const Picoseconds start = std::max(train.head, link.wire.free_at);
  const Picoseconds end = std::max(start + busy, train.tail);
  link.wire.free_at = start + busy;  // gaps in a slow train are left to others
  link.use.bytes += bytes;
  ++link.use.trains;
  link.use.busy += busy;
  departed = end;
  Train there{start + link.latency, end + link.latency};
  if (link.to == kThrough) return there;
  Place& place = places_[link.to];
  const Picoseconds served = std::max(there.tail, place.passage.free_at) + place.passage.time(bytes);
  place.passage.free_at = served;
  return {served + place.latency, served + place.latency};
}

Picoseconds Wires::latency(std::span<const Hop> route) const {
  Picoseconds whole = 0;
  for (const Hop& hop : route) {
    const Link& link = links_[hop.link];
    whole += link.latency + (link.to == kThrough ? 0 : places_[link.to].latency);
  }
  return whole;
}

}  // namespace t3sim::message
