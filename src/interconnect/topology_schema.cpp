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

static void describe(config::Visitor& v, VertexConfig& c) {
  v.choice("kind", c.kind,
           {{"switch", VertexKind::switched}, {"card", VertexKind::card}, {"memory", VertexKind::memory}},
           "card: all packets pass it one after the other; memory: of a host, for GPUs without peer access");
  v.time("latency", c.latency_ps, {0, config::kMs},
         "that each packet spends in it; absent: none, in a switch");
  v.bandwidth("rate", c.rate_Bps, {1'000'000, 100'000 * config::kGB},
              "of all packets through it together; absent: only its links limit");
}

static void describe(config::Visitor& v, LinkSpec& c) {
  v.text("from", c.from, "names of vertices, as gpu0 or gpu[0-3]");
  v.text("to", c.to, "as many, or one; links are there and back");
  v.bandwidth("bandwidth", c.bandwidth_Bps, {1'000'000, 100'000 * config::kGB},
              "in each direction, if not topology's");
  v.time("latency", c.latency_ps, {1000, config::kMs}, "from end to end, if not topology's");
  v.size("buffer", c.buffer_bytes, {4096, 1ULL << 32}, "at its far end, of each channel, if not topology's");
  v.size("header", c.header_bytes, {0, 1024}, "bytes that each packet adds on it, if not topology's");
  v.count("channels", c.channels, {1, 64}, "virtual channels: the i-th link of a route takes the i-th");
  v.flag("one_way", c.one_way, "there only");
  v.flag("peer_access", c.peer_access, "false: GPUs reach only a host's memory over it, not each other");
}

static void describe(config::Visitor& v, RouteSpec& c) {
  v.text("from", c.from, "GPUs, as gpu0 or gpu[0-3]");
  v.text("to", c.to, "GPUs");
  v.text("via", c.via, "vertices that the way passes, in order: memory0, or spine[0,2]");
}

static void describe(config::Visitor& v, PcieConfig& c) {
  v.required().count("sockets", c.sockets, {1, 8}, "a node");
  v.required().count("gpus_per_socket", c.gpus_per_socket, {1, 64},
                     "below its root, joined by topology.bandwidth");
  v.required().count("cards", c.cards, {0, 16}, "network cards a socket, on links of topology.bandwidth");
  v.required().flag("peer_access", c.peer_access,
                    "GPUs of two sockets reach each other; else through host memory");
  v.required().bandwidth("socket_bandwidth", c.socket_bandwidth_Bps, {1'000'000, 100'000 * config::kGB},
                         "between two sockets");
  v.required().time("socket_latency", c.socket_latency_ps, {1000, config::kMs}, "between two sockets");
  v.required().bandwidth("memory_bandwidth", c.memory_bandwidth_Bps, {1'000'000, 100'000 * config::kGB},
                         "of a socket's host memory, reads and writes together");
  v.required().time("memory_latency", c.memory_latency_ps, {1000, config::kMs},
                    "from a write in host memory to its read");
  v.bandwidth("card_rate", c.card_rate_Bps, {1'000'000, 100'000 * config::kGB},
              "of all that passes a card, both ways; absent: only its links limit");
  v.required().time("card_latency", c.card_latency_ps, {1000, config::kMs}, "that a packet spends in a card");
}

static void describe(config::Visitor& v, CardConfig& c) {
  v.choice("puts", c.puts, {{"none", CardPuts::none}, {"gpu", CardPuts::gpu}, {"host", CardPuts::host}},
           "who posts what DMA engines send over a network card as puts; none: they are packets like others");
  v.required().count("queue", c.queue, {1, 65535},
                     "puts of a GPU or host that wait in a network card or are under way");
  v.required().time("put_time", c.put_time_ps, {0, config::kMs}, "between the starts of two puts of a card");
  v.required().time("host_time", c.host_time_ps, {0, config::kMs}, "that a put costs the host that posts it");
}

void describe(config::Visitor& v, TopologyConfig& c) {
  v.required().choice("kind", c.kind, "how the GPUs are joined");
  v.required().bandwidth("bandwidth", c.link.bandwidth_Bps, {1'000'000, 100'000 * config::kGB},
                         "of a link or port, in each direction");
  v.required().time("latency", c.link.latency_ps, {1000, config::kMs},
                    "from GPU to GPU, a switch between them included");
  v.size_or_auto(
      "buffer", c.link.buffer_bytes, {4096, 1ULL << 32},
      "receive buffer of a link: the sender's credits; auto: enough for its bandwidth and latency");
  v.size("header", c.link.header_bytes, {0, 1024}, "bytes that each packet of up to 128 B adds on the wire");
  v.size("copy_packet", c.link.bulk_packet_bytes, {128, 1 << 20}, "payload of a copy engine's packet");
  v.size("pull_request", c.link.pull_request_bytes, {0, 1024},
         "bytes that a copy engine which pulls sends for each of these packets");
  v.required().count("store_queue", c.link.store_queue, {1, 65536},
                     "remote stores to a GPU that may wait at a link");
  v.flag("shared_port", c.shared_port,
         "fully-connected: a GPU's links share one port of `bandwidth`, each way");
  v.required().count("node_size", c.node_size, {1, 255},
                     "two-level: GPUs a node, fully connected; fat-tree: a leaf");
  v.required().bandwidth("outer_bandwidth", c.outer_bandwidth_Bps, {1'000'000, 100'000 * config::kGB},
                         "two-level: of the port of a GPU to all GPUs of other nodes, in each direction; "
                         "fat-tree: between leaf and spine; pcie-tree: of a card's port to the network");
  v.required().time(
      "outer_latency", c.outer_latency_ps, {1000, config::kMs},
      "two-level: between GPUs of two nodes; fat-tree: of two leaves; pcie-tree: between cards");
  v.section("switch", c.switched, "switch: what it can do");
  v.required().dimensions("shape", c.shape, {1, 255}, "mesh, torus: GPUs in each dimension");
  v.required().time("hop_latency", c.hop_latency_ps, {1000, config::kMs},
                    "mesh, torus: of each further GPU on the way");
  v.required().count("spines", c.spines, {1, 255},
                     "fat-tree: switches above the leaves, each joined to each");
  v.section("pcie", c.pcie, "pcie-tree: a node's sockets, memories and network cards");
  v.section("card", c.card, "what every network card makes of puts");
  v.map("vertices", c.vertices, "graph: what there is beside the GPUs gpu0, gpu1, ... (docs/topologies.md)");
  v.sections("links", c.links, "graph: between vertices");
  v.sections("routes", c.routes, "graph: those that are not to be the shortest");
}

}  // namespace t3sim
