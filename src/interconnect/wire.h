// What a packet costs on the wire beside its data.
#pragma once

#include "interconnect/topology.h"
#include "sim/request.h"

namespace t3sim {

struct PacketOverhead {
  explicit PacketOverhead(const LinkConfig& config)
      : header_bytes(config.header_bytes), metadata_bytes(config.metadata_bytes) {}
  // On a link whose header differs.
  PacketOverhead(const LinkConfig& config, std::uint64_t header)
      : header_bytes(header), metadata_bytes(config.metadata_bytes) {}

  std::uint64_t wire_bytes(const Request& request) const {
    return request_bytes(request) + header_bytes + (request.tracked ? metadata_bytes : 0);
  }

  std::uint64_t header_bytes;
  std::uint64_t metadata_bytes;  // of packets that the Tracker counts where they arrive
};

}  // namespace t3sim
