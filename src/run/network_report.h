// What a run tells of the network between its GPUs, link by link (topology kinds that have one).
#pragma once

#include "interconnect/link_load.h"
#include "machine/cluster.h"
#include "results/results.h"

namespace t3sim {

// Of a finished phase. Empty without a network.
LinkLoads link_loads(const PhaseResult& result);

// Loads of the phases of one scheme, together.
struct SchemeLoads {
  std::string scheme;
  LinkLoads loads;
};
// "links.csv", and a picture a scheme: "topology-sequential.svg".
Ordered<std::string> network_files(const Config& config, const std::vector<SchemeLoads>& schemes,
                                   const TimeBase& time);

}  // namespace t3sim
