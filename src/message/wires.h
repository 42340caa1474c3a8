// The links, cards and memories of a topology's graph as queues: what comes first is served first, whole.
//
// A message is a train of bytes with a head and a tail, each at a time. It is cut through: a link begins with the head
// as soon as it is free, and ends no earlier than the tail has come. Cards and host memories take a train whole.
// Queues have no end here; what a GPU may have in them is the engine's window.
#pragma once

#include <cstdint>
#include <vector>

#include "interconnect/topology.h"
#include "message/event_queue.h"

namespace t3sim::message {

// When the first and the last byte are at a place.
struct Train {
  Picoseconds head = 0, tail = 0;
};

struct LinkUse {
  std::uint64_t bytes = 0;  // of payload and flags, without headers
  std::uint64_t trains = 0;
  Picoseconds busy = 0;
};

class Wires {
 public:
  // `header_bytes` of a link are added to every packet of `packet_bytes`.
  Wires(const Topology& topology, std::uint64_t packet_bytes);

  // Sends a train over a link: where it is at the far end, behind what is there. `departed`: its last byte is on
  // the wire.
  Train pass(std::uint32_t link, const Train& train, std::uint64_t bytes, Picoseconds& departed);
  // Bytes that take no time worth counting: flags.
  void count(std::uint32_t link, std::uint64_t bytes) { links_[link].use.bytes += bytes; }
  // Of an idle way, for a byte.
  Picoseconds latency(std::span<const Hop> route) const;
  // Of one packet on a link.
  Picoseconds packet_time(std::uint32_t link) const { return links_[link].packet; }

  const Graph& graph() const { return topology_.graph; }
  const Routes& routes() const { return topology_.routes; }
  const LinkUse& use(std::uint32_t link) const { return links_[link].use; }

 private:
  // Serves one train after the other; exact to a picosecond a train.
  struct Server {
    std::uint64_t per_byte = 0;  // ps, times 2^32
    Picoseconds free_at = 0;
    Picoseconds time(std::uint64_t bytes) const;
  };
  static constexpr std::uint32_t kThrough = ~0U;
  struct Link {
    Server wire;
    Picoseconds latency = 0, packet = 0;  // latency: that of a switch at its end with it
    std::uint64_t header = 0;
    std::uint32_t to = kThrough;  // place that takes trains whole
    LinkUse use;
  };
  // A card or a host's memory.
  struct Place {
    Server passage;
    Picoseconds latency = 0;
  };
  static Server server(std::uint64_t Bps);

  const Topology& topology_;
  std::uint64_t packet_bytes_;
  std::vector<Link> links_;
  std::vector<Place> places_;
};

}  // namespace t3sim::message
