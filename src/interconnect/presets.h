// The graphs and routes of the kinds of topology.
#pragma once

#include "interconnect/topology.h"

namespace t3sim {

// Of the configuration's kind. Throws TopologyError.
Topology preset(const TopologyConfig& config, std::uint32_t gpus);

// "nic[0-2]" is nic0, nic1, nic2. Throws InputError.
std::vector<std::string> expand_names(const std::string& text);

// A link as topology.* describe it, from one vertex to another.
inline GraphLink plain_link(const TopologyConfig& config, std::uint32_t from, std::uint32_t to,
                            std::uint64_t latency_ps) {
  return {
      from, to, config.link.bandwidth_Bps, latency_ps, config.link.buffer_bytes, config.link.header_bytes};
}

}  // namespace t3sim
