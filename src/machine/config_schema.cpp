// The keys of the configuration: names, limits, meaning.
#include "machine/config.h"
#include "tracker/table_size.h"

namespace t3sim {

using config::Visitor;

static constexpr std::uint64_t kGB = 1'000'000'000;

static void describe(Visitor& v, MicrobenchmarkSpec& c) {
  v.choice("kind", c.kind,
           {{"none", MicrobenchmarkKind::none},
            {"stream-read", MicrobenchmarkKind::stream_read},
            {"stream-write", MicrobenchmarkKind::stream_write},
            {"stream-copy", MicrobenchmarkKind::stream_copy},
            {"stream-reduce", MicrobenchmarkKind::stream_reduce},
            {"chase", MicrobenchmarkKind::chase}},
           "what to run instead of a GEMM, under the scheme kernel");
  v.count("blocks", c.blocks, {1, 1 << 20}, "workgroups of a stream");
  v.count("threads", c.threads, {32, 2048}, "threads a workgroup");
  v.count("bytes_per_load", c.bytes_per_load, {1, 64}, "that a thread loads or stores at a time");
  v.count("loads_in_flight", c.loads_in_flight, {1, 8}, "of a thread, before it waits for the first");
  v.size("bytes", c.bytes, {4096, 1ULL << 36}, "of each array, or footprint of a chase");
  v.count("passes", c.passes, {1, 1000}, "of a chase over its footprint");
  v.count("max_loads", c.max_loads, {0, 1ULL << 40}, "that a chase does; 0: no limit");
}

static void describe(Visitor& v, FollowingConfig& c) {
  v.choice("kind", c.kind,
           {{"none", FollowingKind::none},
            {"kernel", FollowingKind::kernel},
            {"near-memory", FollowingKind::near_memory}},
           "kernel: on all of it, after the all-gather; near-memory: on a GPU's part, before it");
  v.count("operands", c.operands, {1, 8}, "arrays of the output's shape that it adds to it");
}

static void describe(Visitor& v, WorkloadConfig& c) {
  v.text("name", c.name, "what the layer is called");
  v.count("m", c.m, {1, 1 << 24}, "rows of the output: tokens");
  v.count("n", c.n, {1, 1 << 24}, "columns of the output: hidden size");
  v.count("k", c.k, {1, 1 << 24}, "dot-product length on one GPU, after slicing");
  v.choice("layout", c.layout,
           {{"NN", GemmLayout::nn}, {"NT", GemmLayout::nt}, {"TN", GemmLayout::tn}, {"TT", GemmLayout::tt}},
           "transposition of A and B, column-major BLAS terms");
  v.dimensions("tile", c.tile, {1, 4096}, "tile of a workgroup, m x n x k");
  v.count("wavefronts", c.wavefronts, {1, 32}, "wavefronts a workgroup");
  v.count("buffers", c.buffers, {1, 8}, "K steps held in LDS: 2 is double buffering");
  v.choice("order", c.order,
           {{"row-major", OrderKind::row_major},
            {"column-major", OrderKind::column_major},
            {"grouped", OrderKind::grouped},
            {"grouped-columns", OrderKind::grouped_columns}},
           "order in which workgroups are dispatched");
  v.count("order_group", c.order_group, {1, 1024}, "rows (columns) of tiles a group, for grouped orders");
  v.count("split_k", c.split_k, {1, 1024},
          "workgroups that share a tile, each with its part of K (section 7.7)");
  v.count("persistent", c.persistent, {0, 1 << 20}, "workgroups that walk all tiles; 0: a workgroup a tile");
  v.choice(
      "type", c.type,
      {{"FP8", DataType::fp8}, {"FP16", DataType::fp16}, {"BF16", DataType::bf16}, {"FP32", DataType::fp32}},
      "of the elements of A, B and C");
  v.choice("output", c.output,
           {{"column-major", OutputLayout::column_major}, {"row-major", OutputLayout::row_major}},
           "layout of C in memory");
  v.text("kernel", c.kernel,
         "a library's kernel by its name (docs/kernels.md): decides tile, order and what else it says");
  v.count("cluster", c.cluster, {1, 16},
          "workgroups, neighbours along m, that load the panel of B they share together (multicast)");
  v.count("prologue_cycles", c.prologue_cycles, {0, 1 << 20}, "of a workgroup before its first tile");
  v.real("store_bytes_per_cycle", c.store_bytes_per_cycle, {0, 4096},
         "at which a finished tile leaves the registers; 0: at once");
  v.flag("bypass_l1", c.bypass_l1, "its loads go straight to LDS");
  v.flag("split_workspace", c.split_workspace,
         "split-K workgroups leave FP32 parts for another kernel; false: they add into C");
  v.section("following", c.following,
            "an operation on the all-reduced output, as a residual add (section 7.6)");
  v.section("microbenchmark", c.microbenchmark, "a memory microbenchmark in place of the GEMM");
  v.path("trace", c.trace, "replay this kernel (t3sim trace); the other keys then come from its header");
}

static void describe(Visitor& v, GpuOverride& c) {
  v.frequency("clock", c.clock_hz, {config::kMHz, 10 * config::kGHz}, "core clock of this GPU");
  v.frequency("memory_clock", c.memory_clock_hz, {config::kMHz, 10 * config::kGHz}, "of this GPU's memory");
  v.bandwidth("link_bandwidth", c.link_bandwidth_Bps, {1'000'000, 100'000 * kGB},
              "topology.bandwidth of this GPU");
  v.time("start_delay", c.start_delay_ps, {0, 1000 * config::kMs}, "by which this GPU starts late");
}

static void describe(Visitor& v, GpusConfig& c) {
  v.required().count("count", c.count, {2, 255}, "GPUs that share the layer (tensor-parallel degree)");
  v.choice("model", c.model, {{"mirror", GpuModel::mirror}, {"explicit", GpuModel::explicit_}},
           "mirror: simulate one GPU, its own output coming back in; explicit: simulate all");
  v.map("overrides", c.overrides, {0, 254}, "what differs on single GPUs, by GPU (explicit only)");
}

static void describe(Visitor& v, SwitchConfig& c) {
  v.choice("reduction", c.reduction,
           {{"none", SwitchReduction::none}, {"in-switch", SwitchReduction::in_switch}},
           "in-switch: updates of a line are added up on their way (section 7.4)");
  v.count("table", c.table_lines, {1, 1ULL << 32},
          "lines of 128 B that may wait in the switch to be added up");
}

static void describe(Visitor& v, VertexConfig& c) {
  v.choice("kind", c.kind,
           {{"switch", VertexKind::switched}, {"card", VertexKind::card}, {"memory", VertexKind::memory}},
           "card: all packets pass it one after the other; memory: of a host, for GPUs without peer access");
  v.time("latency", c.latency_ps, {0, config::kMs}, "that each packet spends in it");
  v.bandwidth("rate", c.rate_Bps, {1'000'000, 100'000 * kGB},
              "of all packets through it together; absent: only its links limit");
}

static void describe(Visitor& v, LinkSpec& c) {
  v.text("from", c.from, "names of vertices, as gpu0 or gpu[0-3]");
  v.text("to", c.to, "as many, or one; links are there and back");
  v.bandwidth("bandwidth", c.bandwidth_Bps, {1'000'000, 100'000 * kGB},
              "in each direction, if not topology's");
  v.time("latency", c.latency_ps, {1000, config::kMs}, "from end to end, if not topology's");
  v.size("buffer", c.buffer_bytes, {4096, 1ULL << 32}, "at its far end, of each channel, if not topology's");
  v.size("header", c.header_bytes, {0, 1024}, "bytes that each packet adds on it, if not topology's");
  v.count("channels", c.channels, {1, 64}, "virtual channels: the i-th link of a route takes the i-th");
  v.flag("one_way", c.one_way, "there only");
  v.flag("peer_access", c.peer_access, "false: GPUs reach only a host's memory over it, not each other");
}

static void describe(Visitor& v, RouteSpec& c) {
  v.text("from", c.from, "GPUs, as gpu0 or gpu[0-3]");
  v.text("to", c.to, "GPUs");
  v.text("via", c.via, "vertices that the way passes, in order: memory0, or spine[0,2]");
}

static void describe(Visitor& v, PcieConfig& c) {
  v.count("sockets", c.sockets, {1, 8}, "a node");
  v.count("gpus_per_socket", c.gpus_per_socket, {1, 64}, "below its root, joined by topology.bandwidth");
  v.count("cards", c.cards, {0, 16}, "network cards a socket, on links of topology.bandwidth");
  v.flag("peer_access", c.peer_access, "GPUs of two sockets reach each other; else through host memory");
  v.bandwidth("socket_bandwidth", c.socket_bandwidth_Bps, {1'000'000, 100'000 * kGB}, "between two sockets");
  v.time("socket_latency", c.socket_latency_ps, {1000, config::kMs}, "between two sockets");
  v.bandwidth("memory_bandwidth", c.memory_bandwidth_Bps, {1'000'000, 100'000 * kGB},
              "of a socket's host memory, reads and writes together");
  v.time("memory_latency", c.memory_latency_ps, {1000, config::kMs},
         "from a write in host memory to its read");
  v.bandwidth("card_rate", c.card_rate_Bps, {1'000'000, 100'000 * kGB},
              "of all that passes a card, both ways; absent: only its links limit");
  v.time("card_latency", c.card_latency_ps, {1000, config::kMs}, "that a packet spends in a card");
}

static void describe(Visitor& v, CardConfig& c) {
  v.count("queue", c.queue, {1, 1 << 20},
          "puts of a GPU or host that wait in a network card or are under way");
  v.time("put_time", c.put_time_ps, {0, config::kMs}, "between the starts of two puts of a card");
}

static void describe(Visitor& v, TopologyConfig& c) {
  v.required().choice("kind", c.kind,
                      {{"ring", TopologyKind::ring},
                       {"bidirectional-ring", TopologyKind::bidirectional_ring},
                       {"fully-connected", TopologyKind::fully_connected},
                       {"switch", TopologyKind::switched},
                       {"two-level", TopologyKind::two_level}},
                      "how the GPUs are joined");
  v.required().bandwidth("bandwidth", c.link.bandwidth_Bps, {1'000'000, 100'000 * kGB},
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
  v.required().count("node_size", c.node_size, {1, 255},
                     "two-level: GPUs a node, fully connected; fat-tree: a leaf");
  v.required().bandwidth("outer_bandwidth", c.outer_bandwidth_Bps, {1'000'000, 100'000 * kGB},
                         "two-level: of the port of a GPU to all GPUs of other nodes, in each direction; "
                         "fat-tree: between leaf and spine; pcie-tree: of a card's port to the network");
  v.required().time(
      "outer_latency", c.outer_latency_ps, {1000, config::kMs},
      "two-level: between GPUs of two nodes; fat-tree: of two leaves; pcie-tree: between cards");
  v.section("switch", c.switched, "switch: what it can do");
  v.dimensions("shape", c.shape, {1, 255}, "mesh, torus: GPUs in each dimension");
  v.time("hop_latency", c.hop_latency_ps, {1000, config::kMs},
         "mesh, torus: of each further GPU on the way; absent: half of topology.latency");
  v.count("spines", c.spines, {1, 255}, "fat-tree: switches above the leaves, each joined to each");
  v.section("pcie", c.pcie, "pcie-tree: a node's sockets, memories and network cards");
  v.section("card", c.card, "what every network card makes of puts");
  v.map("vertices", c.vertices, "graph: what there is beside the GPUs gpu0, gpu1, ... (docs/topologies.md)");
  v.sections("links", c.links, "graph: between vertices");
  v.sections("routes", c.routes, "graph: those that are not to be the shortest");
}

static void describe(Visitor& v, GpuConfig& c) {
  v.required().text("name", c.name, "of the product, as measurements name it");
  v.required().count("cus", c.cus, {1, 1024}, "compute units");
  v.required().frequency("clock", c.clock_hz, {config::kMHz, 10 * config::kGHz},
                         "clock of CUs, network and L2");
  v.required().count("matrix_flops_per_cycle", c.matrix_flops_per_cycle, {1, 1 << 20},
                     "peak matrix rate of a CU for 2-byte elements; FP8: twice, FP32: half");
  v.required().real("matrix_issue_efficiency", c.matrix_issue_efficiency, {0.01, 1.0},
                    "share of the peak matrix rate that a kernel whose data is at hand reaches");
  v.required().count("kernel_launch_cycles", c.kernel_launch_cycles, {0, 1 << 24},
                     "from a kernel's launch to its first workgroup");
  v.required().count("threads", c.threads_per_cu, {1, 65536}, "threads a CU");
  v.required().count("wavefront_threads", c.wavefront_threads, {1, 256}, "threads a wavefront");
  v.required().size("registers", c.registers_bytes, {1024, 1ULL << 30}, "register file of a CU");
  v.required().size("l1_lds", c.l1_lds_bytes, {1024, 1ULL << 30}, "unified L1 and LDS of a CU");
  v.required().size("lds", c.lds_bytes, {1024, 1ULL << 30}, "of it, what workgroups may use as LDS");
  v.required().count("l1_ways", c.l1_ways, {1, 64}, "associativity of the L1");
  v.required().count("l1_latency_cycles", c.l1_latency_cycles, {1, 10000}, "of a hit in L1");
  v.flag("shared_lane", c.shared_lane, "loads wait behind a CU's stores that find no room, and the reverse");
  v.flag("store_acknowledgement", c.store_acknowledgement,
         "a workgroup keeps its place until its stores are in the L2, or in memory if they pass by it");
  v.required().count("loads_in_flight", c.loads_in_flight, {1, 1 << 20},
                     "lines that a CU may have outstanding beyond its L1");
  v.required().count("noc_latency_cycles", c.noc_latency_cycles, {1, 10000}, "between CU and L2, one way");
  v.required().count("noc_bytes_per_cycle", c.noc_bytes_per_cycle, {1, 4096}, "between CU and L2, each way");
  v.count("store_bytes_per_cycle", c.store_bytes_per_cycle, {0, 4096},
          "of a CU's stores on their way out; 0: as wide as noc_bytes_per_cycle");
  v.required().size("collective_group", c.collective_bytes_per_group, {32, 1 << 20},
                    "that a workgroup of a collective kernel loads of a copy at a time");
  v.required().count("collective_workgroups", c.collective_workgroups_per_cu, {1, 16},
                     "workgroups of a collective kernel a CU");
  v.required().choice(
      "collective_sync", c.collective_sync, {{"step", CollectiveSync::step}, {"tile", CollectiveSync::tile}},
      "what a workgroup of a collective kernel waits for: the previous step's whole chunk, or its own tile");
}

static void describe(Visitor& v, L2Config& c) {
  v.required().size("size", c.size_bytes, {1024, 1ULL << 40}, "of all slices");
  v.required().count("slices", c.slices, {1, 4096}, "L2 slices (banks), a multiple of the memory channels");
  v.required().count("ways", c.ways, {1, 1024}, "associativity");
  v.required().count("latency_cycles", c.latency_cycles, {1, 10000}, "of a hit, without the network");
  v.required().count("bytes_per_cycle", c.bytes_per_cycle, {1, 4096}, "data port of a slice");
  v.required().count("input_queue", c.input_queue, {1, 65536}, "requests waiting at a slice");
  v.required().count("mshrs", c.mshrs, {1, 4096}, "lines a slice may be fetching");
  v.required().count("mshr_merge", c.mshr_merge, {1, 4096}, "requests that may wait for one sector of them");
  v.required().choice("kernel_boundary", c.kernel_boundary,
                      {{"flush", KernelBoundary::flush}, {"keep", KernelBoundary::keep}},
                      "at a kernel's end: write back and empty, or keep everything for the next kernel");
  v.required().choice("remote_writes", c.remote_writes,
                      {{"memory", RemoteWrites::memory}, {"l2", RemoteWrites::l2}},
                      "where writes that come over a link go; tracked updates always go to memory");
  v.flag("cache_output", c.cache_output, "of a GEMM alone; false: its stores pass by, as tracked ones do");
  v.required().count("dram_path_cycles", c.dram_path_cycles, {0, 10000},
                     "from the memory controller back to the slice");
}

static void describe(Visitor& v, TrackerSettings& c) {
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

static void describe(Visitor& v, DmaConfig& c) {
  v.required().count("engines", c.engines, {1, 1024}, "blocks that are read at a time");
  v.required().count("lines_per_cycle", c.lines_per_cycle, {1, 1024},
                     "reads of 128 B issued in a core cycle");
  v.required().size("buffer", c.buffer_bytes, {128, 1 << 30}, "data read and not sent yet");
  v.count("tiles_per_block", c.tiles_per_block, {1, 1024}, "wavefront tiles a DMA command");
}

static void describe(Visitor& v, ArbitrationSettings& c) {
  v.choice("policy", c.policy,
           {{"scheme", ArbitrationSetting::scheme},
            {"round-robin", ArbitrationSetting::round_robin},
            {"compute-first", ArbitrationSetting::compute_first},
            {"mca", ArbitrationSetting::mca},
            {"mca-paced", ArbitrationSetting::mca_paced}},
           "scheme: round-robin, and mca for t3-mca; mca-paced: mca that keeps up with the links");
  v.choice_or_count("threshold", c.threshold,
                    {{"auto", ThresholdSetting::automatic}, {"none", ThresholdSetting::none}}, {1, 65536},
                    "mca: communication enters the DRAM queue below this many bursts");
  v.count("starvation_limit", c.starvation_limit_cycles, {1, 1 << 30},
          "mca: memory cycles after which communication goes first");
}

static void describe(Visitor& v, RunConfig& c) {
  v.flag("functional", c.functional, "carry numbers and check the sums (small problems, explicit GPUs)");
  v.count("seed", c.seed, {0, ~0ULL >> 1}, "of the numbers in functional mode");
  v.time("series_interval", c.series_interval_ps, {100'000, 1000 * config::kMs}, "of statistics over time");
}

static void describe(Visitor& v, CollectiveConfig& c) {
  v.choice("kind", c.kind,
           {{"all-reduce", CollectiveChoice::all_reduce},
            {"reduce-scatter", CollectiveChoice::reduce_scatter},
            {"all-gather", CollectiveChoice::all_gather},
            {"all-to-all", CollectiveChoice::all_to_all}},
           "all-reduce: a reduce-scatter, which is overlapped, and an all-gather after it");
  v.choice("algorithm", c.algorithm,
           {{"ring", CollectiveAlgorithm::ring},
            {"bidirectional-ring", CollectiveAlgorithm::bidirectional_ring},
            {"direct", CollectiveAlgorithm::direct},
            {"two-level", CollectiveAlgorithm::two_level}},
           "how it is done; all-to-all is always direct");
  v.choice("gemm", c.gemm,
           {{"producer", GemmRole::producer},
            {"consumer", GemmRole::consumer},
            {"independent", GemmRole::independent}},
           "the collective is of its output, of its input A, or of something else");
  v.count("slices", c.slices, {0, 1024},
          "direct reduce-scatter: chunks a GPU owns, so that a stage's stores use all links; 0: one a stage");
  v.choice("zero_init", c.zero_init, {{"assumed", ZeroInit::assumed}, {"simulated", ZeroInit::simulated}},
           "zeros where updates will add: there from the start, or written by a kernel");
  v.text("plan", c.plan, "a collective of your own for the fused phase (docs/collectives.md): file or name");
}

void describe(Visitor& v, Config& c) {
  v.section("workload", c.workload, "the GEMM and its trace");
  v.section("gpus", c.gpus, "the node");
  v.section("topology", c.topology, "the links");
  v.section("collective", c.collective, "what the GPUs exchange");
  v.section("gpu", c.gpu, "one GPU");
  v.section("l2", c.l2, "its L2");
  v.section("memory", c.memory, "its memory");
  v.section("tracker", c.tracker, "its Tracker (section 4.2.1)");
  v.section("dma", c.dma, "its DMA engine (section 4.2.2)");
  v.section("arbitration", c.arbitration, "its memory controllers' policy (section 4.5)");
  v.section("execution", c.execution, "software and power of a real GPU (t3sim validate measured)");
  v.choices("schemes", c.schemes,
            {{"sequential", SchemeId::sequential},
             {"t3", SchemeId::t3},
             {"t3-mca", SchemeId::t3_mca},
             {"ideal-overlap", SchemeId::ideal_overlap},
             {"ideal-rs-nmc", SchemeId::ideal_rs_nmc},
             {"kernel", SchemeId::kernel}},
            "what to compare");
  v.section("run", c.run, "how to run");
}

std::string_view to_string(SchemeId scheme) {
  switch (scheme) {
    case SchemeId::sequential:
      return "sequential";
    case SchemeId::t3:
      return "t3";
    case SchemeId::t3_mca:
      return "t3-mca";
    case SchemeId::ideal_overlap:
      return "ideal-overlap";
    case SchemeId::ideal_rs_nmc:
      return "ideal-rs-nmc";
    case SchemeId::kernel:
      return "kernel";
  }
  return "";
}

}  // namespace t3sim
