// Replays a memory trace on the channels of one memory: what `t3sim memory` does.
//
// Requests are injected in order, at most one a cycle, none before its cycle; one that finds its port full
// waits and all later ones behind it. Latency counts from acceptance.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "memctrl/config.h"
#include "memctrl/memory_trace.h"

namespace t3sim {

struct ReplayResult {
  std::uint64_t cycles = 0;  // until the last data has moved
  double bandwidth_GBps = 0;
  double avg_read_latency_ns = 0;
  double p50_read_latency_ns = 0;
  double p99_read_latency_ns = 0;
  double min_read_latency_ns = 0;
  double max_read_latency_ns = 0;
  double row_hit_rate = 0;
  std::uint64_t requests = 0;
  std::uint64_t activates = 0;
  std::uint64_t refreshes = 0;
  std::uint64_t direction_changes = 0;
  std::uint64_t age_cap_hits = 0;
  double host_cpu_seconds = 0;         // of the simulation alone
  std::uint64_t commands_checked = 0;  // 0 unless asked for
  std::uint64_t violation_count = 0;
  std::vector<std::string> violations;  // found by the checker
};

ReplayResult replay(const MemoryConfig& config, std::span<const TraceRequest> trace, bool check = false);

}  // namespace t3sim
