#include "machine/required_keys.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace t3sim {
namespace {

using Prefixes = std::vector<std::string_view>;

void add(Prefixes& to, const Prefixes& more) { to.insert(to.end(), more.begin(), more.end()); }

// Beginnings of the paths of keys that the memory as it is configured has no use for.
Prefixes unused_memory(const MemoryConfig& memory) {
  Prefixes unused;
  if (memory.reduction != ReductionSubstrate::atomic) unused.push_back("memory.atomic_cycles");
  if (memory.queue.kind == QueueKind::shared)
    add(unused, {"memory.queue.read_bursts", "memory.queue.write_"});
  else
    unused.push_back("memory.queue.shared_bursts");
  switch (memory.refresh.mode) {
    case RefreshMode::none:
      add(unused, {"memory.refresh.interval_cycles", "memory.refresh.all_bank_cycles",
                   "memory.refresh.per_bank_cycles"});
      break;
    case RefreshMode::all_bank:
      unused.push_back("memory.refresh.per_bank_cycles");
      break;
    case RefreshMode::per_bank:
      break;
  }
  return unused;
}

// Of a topology's kind only.
Prefixes unused_topology(const TopologyConfig& t, std::uint32_t gpus) {
  Prefixes unused;
  const bool grid = t.kind == TopologyKind::mesh || t.kind == TopologyKind::torus;
  const bool pcie = t.kind == TopologyKind::pcie_tree;
  const bool leaves = t.kind == TopologyKind::two_level || t.kind == TopologyKind::fat_tree;
  const bool nodes = pcie && gpus > t.pcie.sockets * t.pcie.gpus_per_socket;
  if (!grid) add(unused, {"topology.shape", "topology.hop_latency"});
  if (t.kind != TopologyKind::fat_tree) unused.push_back("topology.spines");
  if (!pcie) unused.push_back("topology.pcie.");
  if (pcie && t.pcie.cards == 0) unused.push_back("topology.pcie.card_");
  if (pcie && t.pcie.sockets == 1) add(unused, {"topology.pcie.socket_", "topology.pcie.peer_access"});
  if (!leaves && !nodes) unused.push_back("topology.outer_");
  if (t.card.puts == CardPuts::none) unused.push_back("topology.card.");
  if (t.card.puts != CardPuts::host) unused.push_back("topology.card.host_time");
  return unused;
}

Prefixes unused_in_network(const Config& config) {
  const TopologyConfig& t = config.topology;
  Prefixes unused = unused_topology(t, config.gpus.count);
  const bool leaves = t.kind == TopologyKind::two_level || t.kind == TopologyKind::fat_tree;
  if (!leaves && config.collective.algorithm != CollectiveAlgorithm::two_level)
    unused.push_back("topology.node_size");
  if (t.kind == TopologyKind::graph) {  // its links may say their own
    const auto says = [&](auto member) {
      return std::ranges::all_of(t.links, [&](const LinkSpec& l) { return (l.*member).has_value(); });
    };
    if (says(&LinkSpec::bandwidth_Bps)) unused.push_back("topology.bandwidth");
    if (says(&LinkSpec::latency_ps)) unused.push_back("topology.latency");
  }
  return unused;
}

Prefixes unused_by(const Config& config, MachineUse use) {
  Prefixes unused = unused_memory(config.memory);
  switch (use) {
    case MachineUse::run:
      add(unused, unused_in_network(config));
      break;
    case MachineUse::messages:
      add(unused, unused_in_network(config));
      add(unused, {"topology.store_queue", "dma.", "gpu.", "l2.", "memory."});
      break;
    case MachineUse::kernel:
      add(unused, {"topology.", "dma.", "gpus.", "gpu.collective_", "l2.remote_writes"});
      break;
    case MachineUse::memory:
      add(unused, {"topology.", "dma.", "gpus.", "gpu.", "l2."});
      break;
    case MachineUse::measured:
      add(unused, {"topology.kind", "topology.store_queue", "topology.node_size", "topology.outer_",
                   "topology.shape", "topology.hop_latency", "topology.spines", "topology.pcie.",
                   "topology.card.", "dma.", "gpus.", "gpu.collective_"});
      break;
  }
  return unused;
}

}  // namespace

void require_machine(const Config& config, const config::Sources& sources, MachineUse use) {
  std::vector<std::string> missing = sources.missing();
  const Prefixes unused = unused_by(config, use);
  std::erase_if(missing, [&](const std::string& path) {
    return std::ranges::any_of(unused, [&](std::string_view prefix) { return path.starts_with(prefix); });
  });
  if (!missing.empty()) throw sources.missing_error(missing);
}

}  // namespace t3sim
