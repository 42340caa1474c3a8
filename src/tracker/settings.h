// The section `tracker` of a configuration.
#pragma once

#include <cstdint>

#include "config/config.h"

namespace t3sim {

enum class TrackerCapacity : std::uint8_t { paper, unbounded };
enum class TrackerCountAt : std::uint8_t { enqueue, issue };

struct TrackerSettings {
  config::ChoiceOrCount<TrackerCapacity> capacity = TrackerCapacity::paper;
  std::uint64_t latency_cycles = 4;
  TrackerCountAt count_at = TrackerCountAt::enqueue;
  std::uint32_t ports = 0;           // lookups a core cycle; 0: one a memory controller
  std::uint64_t metadata_bytes = 0;  // that a tracked packet adds on the wire
};

void describe(config::Visitor& v, TrackerSettings& c);

}  // namespace t3sim
