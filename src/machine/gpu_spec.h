// One GPU as a phase finds it: the configuration, with what gpus.overrides say of this GPU put in. Computed
// once; nothing changes it afterwards.
#pragma once

#include "dma/config.h"
#include "gpu/config.h"
#include "interconnect/topology.h"
#include "machine/config.h"
#include "memctrl/config.h"
#include "sim/time.h"

namespace t3sim {

struct GpuSpec {
  std::uint32_t rank = 0;
  GpuConfig gpu;  // matrix rate: for the elements of the workload
  L2Config l2;
  MemoryConfig memory;  // with the arbitration that the phase asks for
  DmaConfig dma;
  TrackerSettings tracker;
  LinkConfig link;
  GpuPorts ports;
  std::vector<std::string> put_cards;    // by GPU that is sent to (interconnect/cards.h)
  bool copies = false;                   // it has copy engines: where a program runs
  std::uint64_t l1_bytes = 0;            // of a CU, beside the LDS of the workload's workgroups
  std::uint64_t start_delay_ps = 0;      // by which this GPU starts late
  std::uint64_t series_interval_ps = 0;  // of statistics over time
};

// Throws InputError for a topology that is none.
GpuSpec gpu_spec(const Config& config, std::uint32_t rank, ArbitrationKind arbitration);

// The links as GPU `rank` has them.
TopologyConfig topology_of(const Config& config);

}  // namespace t3sim
