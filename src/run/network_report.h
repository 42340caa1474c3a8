// What a run of explicit GPUs tells of the links between them.
#pragma once

#include "interconnect/link_load.h"
#include "machine/cluster.h"
#include "results/results.h"

namespace t3sim {

// Of a finished phase. Empty where one GPU stands for all.
LinkLoads link_loads(const PhaseResult& result);

// Where links have names: says which was fullest.
void add_fullest_link(const Config& config, const LinkLoads& loads, PhaseLimits& limits);

// Which of those who send have no way but through host memory, as a sentence; empty if none.
std::string host_memory_warning(const Config& config, const std::vector<Route>& used);

// Loads of the phases of one scheme, together.
struct SchemeLoads {
  std::string scheme;
  LinkLoads loads;
};
// "links.csv", and a picture a scheme: "topology-sequential.svg".
Ordered<std::string> network_files(const Config& config, const std::vector<SchemeLoads>& schemes,
                                   const TimeBase& time);

}  // namespace t3sim
