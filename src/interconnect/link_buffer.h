// Receive buffers of links: the sender's credits. A credit is away from the start of its packet's serialisation
// until it has come back over the link; a buffer smaller than what the link carries in that time caps it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "interconnect/topology.h"

namespace t3sim {

// What its buffer makes of a port.
struct BufferedPort {
  std::string name;  // as PortSpec::name
  std::uint64_t buffer_bytes = 0, automatic_bytes = 0;
  std::uint64_t round_trip_ps = 0;  // of a credit
  double payload_Bps = 0;           // of full packets, their headers taken off
  double allowed_Bps = 0;           // what the buffer lets through, at most payload_Bps

  double share() const { return payload_Bps > 0 ? allowed_Bps / payload_Bps : 1; }
};

// Of full packets that are not tracked (`tracker.metadata` makes the others slower), without their headers.
double payload_Bps(const LinkConfig& link, std::uint64_t bandwidth_Bps);
// A packet of a line out, and its credit back. Receivers hand on at once what their memory has room for, so
// nothing else takes time.
std::uint64_t credit_round_trip_ps(const LinkConfig& link, std::uint64_t bandwidth_Bps,
                                   std::uint64_t latency_ps);
// What topology.buffer: auto means: the next power of two above twice what a round trip carries, so that the
// memory behind the link may be busy for a round trip before the link has to stop.
std::uint64_t automatic_buffer(const LinkConfig& link, std::uint64_t bandwidth_Bps, std::uint64_t latency_ps);
// What the user says (LinkConfig::buffer_bytes), or the automatic one.
std::uint64_t receive_buffer(const LinkConfig& link, std::uint64_t bandwidth_Bps, std::uint64_t latency_ps);

// The port that its buffer slows down most.
BufferedPort tightest_port(const LinkConfig& link, std::span<const PortSpec> ports);
// A sentence for the user if the buffer caps the port, with the rate it allows; else empty.
std::string buffer_warning(const BufferedPort& port);

}  // namespace t3sim
