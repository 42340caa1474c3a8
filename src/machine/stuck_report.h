// Why nothing moves any more: who waits for whom, on all GPUs and between them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "machine/gpu.h"

namespace t3sim {

// All GPUs that are simulated, and what lies between them.
struct ClusterView {
  const std::vector<std::unique_ptr<Gpu>>& gpus;
  const Fabric& fabric;
  std::uint32_t count;  // of GPUs that there are; mirror: the one GPU stands for all
};

// Several lines: `reason`; the one thing that is wrong; then whoever waits, parts that wait alike as one.
std::string stuck_report(const ClusterView& cluster, const std::string& reason);

// Parts that have a wake-up pending, with commas.
std::string awake_parts(const ClusterView& cluster);

}  // namespace t3sim
