// What tests of topologies share.
#pragma once

#include <string>

#include "base/error.h"
#include "config/config.h"
#include "interconnect/topology.h"

namespace t3sim {

inline TopologyConfig of_kind(TopologyKind kind) {
  TopologyConfig config;
  config.kind = kind;
  return config;
}

// What is said of a topology that is no good; "" of one that is.
inline std::string refusal(const TopologyConfig& config, std::uint32_t gpus = 4) {
  try {
    check_topology(config, gpus, config::Sources("a.yaml"));
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace t3sim
