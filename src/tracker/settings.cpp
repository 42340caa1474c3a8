#include "tracker/settings.h"

#include "tracker/table_size.h"

namespace t3sim {

void describe(config::Visitor& v, TrackerSettings& c) {
  v.choice_or_count("capacity", c.capacity,
                    {{"paper", TrackerCapacity::paper}, {"unbounded", TrackerCapacity::unbounded}},
                    {kTrackerSets, 1 << 24}, "entries; paper: 256 sets of 8");
  v.count("latency_cycles", c.latency_cycles, {1, 100000}, "from the completing access to the DMA command");
  v.choice("count_at", c.count_at, {{"enqueue", TrackerCountAt::enqueue}, {"issue", TrackerCountAt::issue}},
           "an access counts when it enters the DRAM queue, or when its last column command is issued");
  v.count("ports", c.ports, {0, 65536}, "lookups a core cycle; 0: one a memory controller and cycle");
  v.size("metadata", c.metadata_bytes, {0, 1024},
         "wg_id and wf_id: bytes that a tracked packet adds on the wire");
}

}  // namespace t3sim
