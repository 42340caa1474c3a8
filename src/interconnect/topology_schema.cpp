// The keys of a topology.
#include "config/schema.h"
#include "interconnect/topology.h"

namespace t3sim {

static void describe(config::Visitor& v, SwitchConfig& c) {
  v.choice("reduction", c.reduction,
           {{"none", SwitchReduction::none}, {"in-switch", SwitchReduction::in_switch}},
           "in-switch: updates of a line are added up on their way (section 7.4)");
  v.count("table", c.table_lines, {1, 1ULL << 32},
          "lines of 128 B that may wait in the switch to be added up");
}

void describe(config::Visitor& v, TopologyConfig& c) {
  v.required().choice("kind", c.kind,
                      {{"ring", TopologyKind::ring},
                       {"bidirectional-ring", TopologyKind::bidirectional_ring},
                       {"fully-connected", TopologyKind::fully_connected},
                       {"switch", TopologyKind::switched},
                       {"two-level", TopologyKind::two_level}},
                      "how the GPUs are joined");
  v.required().bandwidth("bandwidth", c.link.bandwidth_Bps, {1'000'000, 100'000 * config::kGB},
                         "of a link or port, in each direction");
  v.required().time("latency", c.link.latency_ps, {1000, config::kMs},
                    "from GPU to GPU, a switch between them included");
  v.size_or_auto(
      "buffer", c.link.buffer_bytes, {4096, 1ULL << 32},
      "receive buffer of a link: the sender's credits; auto: enough for its bandwidth and latency");
  v.size("header", c.link.header_bytes, {0, 1024}, "bytes that each packet of up to 128 B adds on the wire");
  v.required().count("store_queue", c.link.store_queue, {1, 65536},
                     "remote stores to a GPU that may wait at a link");
  v.flag("shared_port", c.shared_port,
         "fully-connected: a GPU's links share one port of `bandwidth`, each way");
  v.required().count("node_size", c.node_size, {1, 255}, "two-level: GPUs a node, fully connected");
  v.required().bandwidth("outer_bandwidth", c.outer_bandwidth_Bps, {1'000'000, 100'000 * config::kGB},
                         "two-level: of the port of a GPU to all GPUs of other nodes, in each direction");
  v.required().time("outer_latency", c.outer_latency_ps, {1000, config::kMs},
                    "two-level: between GPUs of two nodes");
  v.section("switch", c.switched, "switch: what it can do");
}

}  // namespace t3sim
