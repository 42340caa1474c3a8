// What a packet costs on the wire beside its data.
#pragma once

#include "interconnect/topology.h"
#include "sim/request.h"

namespace t3sim {

struct PacketOverhead {
  explicit PacketOverhead(const LinkConfig& config) : PacketOverhead(config, config.header_bytes) {}
  // On a link whose header differs.
  PacketOverhead(const LinkConfig& config, std::uint64_t header)
      : header_bytes(header),
        bulk_header_bytes(header * kLineBytes / config.bulk_packet_bytes),
        metadata_bytes(config.metadata_bytes) {}

  std::uint64_t wire_bytes(const Request& request) const {
    return request_bytes(request) + (request.bulk ? bulk_header_bytes : header_bytes) +
           (request.tracked ? metadata_bytes : 0);
  }

  std::uint64_t header_bytes;
  std::uint64_t bulk_header_bytes;  // a line's share, in packets of a copy engine
  std::uint64_t metadata_bytes;     // of packets that the Tracker counts where they arrive
};

}  // namespace t3sim
