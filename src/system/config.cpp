#include "system/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "plan/chunk_map.h"
#include "trace/gemm_kernel.h"
#include "trace/trace_kernel.h"

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
           {{"row-major", OrderKind::row_major}, {"column-major", OrderKind::column_major}, {"grouped", OrderKind::grouped}},
           "order in which workgroups are dispatched");
  v.count("order_group", c.order_group, {1, 1024}, "rows of tiles a group, for grouped order");
  v.section("microbenchmark", c.microbenchmark, "a memory microbenchmark in place of the GEMM");
  v.path("trace", c.trace, "replay this kernel (t3sim trace); the other keys then come from its header");
}

static void describe(Visitor& v, GpuOverride& c) {
  v.frequency("clock", c.clock_hz, {config::kMHz, 10 * config::kGHz}, "core clock of this GPU");
  v.bandwidth("link_bandwidth", c.link_bandwidth_Bps, {1'000'000, 100'000 * kGB}, "of this GPU's outgoing link");
  v.time("start_delay", c.start_delay_ps, {0, 1000 * config::kMs}, "by which this GPU starts late");
}

static void describe(Visitor& v, GpusConfig& c) {
  v.count("count", c.count, {2, 255}, "GPUs that share the layer (tensor-parallel degree)");
  v.choice("model", c.model, {{"mirror", GpuModel::mirror}, {"explicit", GpuModel::explicit_}},
           "mirror: simulate one GPU, its own output coming back in; explicit: simulate all");
  v.map("overrides", c.overrides, {0, 254}, "what differs on single GPUs, by GPU (explicit only)");
}

static void describe(Visitor& v, TopologyConfig& c) {
  v.choice("kind", c.kind, {{"ring", TopologyKind::ring}}, "how the GPUs are joined");
  v.bandwidth("bandwidth", c.link.bandwidth_Bps, {1'000'000, 100'000 * kGB}, "of a link, in each direction");
  v.time("latency", c.link.latency_ps, {1000, config::kMs}, "of a link");
  v.size("buffer", c.link.buffer_bytes, {4096, 1ULL << 32}, "receive buffer of a link: the sender's credits");
  v.size("header", c.link.header_bytes, {0, 1024}, "bytes that each packet of up to 128 B adds on the wire");
  v.count("store_queue", c.link.store_queue, {1, 65536}, "remote stores that may wait at a link");
}

static void describe(Visitor& v, GpuConfig& c) {
  v.text("name", c.name, "of the product, as measurements name it");
  v.count("cus", c.cus, {1, 1024}, "compute units");
  v.frequency("clock", c.clock_hz, {config::kMHz, 10 * config::kGHz}, "clock of CUs, network and L2");
  v.count("matrix_flops_per_cycle", c.matrix_flops_per_cycle, {1, 1 << 20}, "peak matrix rate of a CU");
  v.real("matrix_issue_efficiency", c.matrix_issue_efficiency, {0.01, 1.0},
         "share of the peak matrix rate that a kernel whose data is at hand reaches");
  v.count("threads", c.threads_per_cu, {1, 65536}, "threads a CU");
  v.count("wavefront_threads", c.wavefront_threads, {1, 256}, "threads a wavefront");
  v.size("registers", c.registers_bytes, {1024, 1ULL << 30}, "register file of a CU");
  v.size("l1_lds", c.l1_lds_bytes, {1024, 1ULL << 30}, "unified L1 and LDS of a CU");
  v.count("l1_ways", c.l1_ways, {1, 64}, "associativity of the L1");
  v.count("l1_latency_cycles", c.l1_latency_cycles, {1, 10000}, "of a hit in L1");
  v.count("loads_in_flight", c.loads_in_flight, {1, 1 << 20}, "lines that a CU may have outstanding beyond its L1");
  v.count("noc_latency_cycles", c.noc_latency_cycles, {1, 10000}, "between CU and L2, one way");
  v.count("noc_bytes_per_cycle", c.noc_bytes_per_cycle, {1, 4096}, "between CU and L2, each way");
  v.size("collective_group", c.collective_bytes_per_group, {32, 1 << 20},
         "that a workgroup of a collective kernel loads of a copy at a time");
  v.count("collective_workgroups", c.collective_workgroups_per_cu, {1, 16}, "workgroups of a collective kernel a CU");
  v.choice("collective_sync", c.collective_sync, {{"step", CollectiveSync::step}, {"tile", CollectiveSync::tile}},
           "what a workgroup of a collective kernel waits for: the previous step's whole chunk, or its own tile");
}

static void describe(Visitor& v, L2Config& c) {
  v.size("size", c.size_bytes, {1024, 1ULL << 40}, "of all slices");
  v.count("slices", c.slices, {1, 4096}, "L2 slices (banks), a multiple of the memory channels");
  v.count("ways", c.ways, {1, 1024}, "associativity");
  v.count("latency_cycles", c.latency_cycles, {1, 10000}, "of a hit, without the network");
  v.count("bytes_per_cycle", c.bytes_per_cycle, {1, 4096}, "data port of a slice");
  v.count("input_queue", c.input_queue, {1, 65536}, "requests waiting at a slice");
  v.count("mshrs", c.mshrs, {1, 4096}, "lines a slice may be fetching");
  v.count("mshr_merge", c.mshr_merge, {1, 4096}, "requests that may wait for one sector of them");
  v.choice("kernel_boundary", c.kernel_boundary, {{"flush", KernelBoundary::flush}, {"keep", KernelBoundary::keep}},
           "at a kernel's end: write back and empty, or keep everything for the next kernel");
  v.choice("remote_writes", c.remote_writes, {{"memory", RemoteWrites::memory}, {"l2", RemoteWrites::l2}},
           "where writes that come over a link go; tracked updates always go to memory");
  v.count("dram_path_cycles", c.dram_path_cycles, {0, 10000}, "from the memory controller back to the slice");
}

static void describe(Visitor& v, TrackerSettings& c) {
  v.choice_or_count("capacity", c.capacity, {{"paper", TrackerCapacity::paper}, {"unbounded", TrackerCapacity::unbounded}},
                    {kTrackerSets, 1 << 24}, "entries; paper: 256 sets of 8");
  v.count("latency_cycles", c.latency_cycles, {1, 100000}, "from the completing access to the DMA command");
}

static void describe(Visitor& v, DmaConfig& c) {
  v.count("engines", c.engines, {1, 1024}, "blocks that are read at a time");
  v.size("buffer", c.buffer_bytes, {128, 1 << 30}, "data read and not sent yet");
  v.count("tiles_per_block", c.tiles_per_block, {1, 1024}, "wavefront tiles a DMA command");
}

static void describe(Visitor& v, ArbitrationSettings& c) {
  v.choice("policy", c.policy,
           {{"scheme", ArbitrationSetting::scheme},
            {"round-robin", ArbitrationSetting::round_robin},
            {"compute-first", ArbitrationSetting::compute_first},
            {"mca", ArbitrationSetting::mca}},
           "scheme: round-robin, and mca for t3-mca");
  v.choice_or_count("threshold", c.threshold, {{"auto", ThresholdSetting::automatic}, {"none", ThresholdSetting::none}},
                    {1, 65536}, "mca: communication enters the DRAM queue below this many bursts");
  v.count("starvation_limit", c.starvation_limit_cycles, {1, 1 << 30},
          "mca: memory cycles after which communication goes first");
}

static void describe(Visitor& v, RunConfig& c) {
  v.flag("functional", c.functional, "carry numbers and check the sums (small problems, explicit GPUs)");
  v.count("seed", c.seed, {0, ~0ULL >> 1}, "of the numbers in functional mode");
  v.time("series_interval", c.series_interval_ps, {100'000, 1000 * config::kMs}, "of statistics over time");
}

void describe(Visitor& v, Config& c) {
  v.section("workload", c.workload, "the GEMM and its trace");
  v.section("gpus", c.gpus, "the node");
  v.section("topology", c.topology, "the links");
  v.section("gpu", c.gpu, "one GPU");
  v.section("l2", c.l2, "its L2");
  v.section("memory", c.memory, "its memory");
  v.section("tracker", c.tracker, "its Tracker (section 4.2.1)");
  v.section("dma", c.dma, "its DMA engine (section 4.2.2)");
  v.section("arbitration", c.arbitration, "its memory controllers' policy (section 4.5)");
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

namespace {

// A key that the file says must not contradict the trace; one that it does not say takes the trace's value.
template <class T>
void take_over(T& value, const T& traced, const char* key, const config::Sources& sources) {
  if (sources.said(key) && value != traced) throw sources.error(key, "is not what workload.trace says");
  value = traced;
}

void check_gemm(const Config& config, const config::Sources& sources) {
  const WorkloadConfig& w = config.workload;
  for (const auto& [key, value] : {std::pair{"workload.m", w.m}, {"workload.n", w.n}, {"workload.k", w.k}})
    if (value == 0) throw sources.error(key, "is missing; a GEMM needs m, n and k");
  try {
    gemm_spec(config, 0).check();
  } catch (const InputError& e) {
    throw sources.error("workload.tile", e.what());
  }
}

void check_occupancy(const Config& config, const config::Sources& sources) {
  const KernelTraits traits = kernel_traits(config);
  const GpuConfig& g = config.gpu;
  if (workgroups_per_cu(g, traits) != 0) return;
  throw sources.error(config.workload.generated ? "workload.tile" : "workload.trace",
                      fmt::format("a workgroup needs {} threads, {} bytes of registers and {} bytes of LDS; a CU has {}, "
                                  "{} and {}",
                                  traits.wavefronts * g.wavefront_threads, traits.register_bytes, traits.lds_bytes,
                                  g.threads_per_cu, g.registers_bytes, g.l1_lds_bytes));
}

void check_memory(const Config& config, const config::Sources& sources) {
  if (config.l2.slices % config.memory.channels != 0)
    throw sources.error("l2.slices", fmt::format("must be a multiple of the {} memory channels", config.memory.channels));
  const std::uint64_t lines = config.l2.size_bytes / config.l2.slices / kLineBytes;
  if (config.l2.size_bytes % (config.l2.slices * kLineBytes) != 0 || lines % config.l2.ways != 0 ||
      !std::has_single_bit(lines / config.l2.ways))
    throw sources.error("l2.size", "must be slices x ways x a power of two of sets x 128 bytes");
  try {
    memory_config(config, ArbitrationKind::round_robin).validate();
    const AddressMap map(config.memory, static_cast<unsigned>(config.l2.slices / config.memory.channels));
  } catch (const InputError& e) {
    throw sources.error("memory", e.what());
  }
  try {
    time_base(config);
  } catch (const InputError& e) {
    throw sources.error("gpu.clock", e.what());
  }
}

void check_gpus(const Config& config, const TileGrid& grid, const config::Sources& sources) {
  const std::uint32_t count = config.gpus.count;
  if (grid.tiles() < count)
    throw sources.error("gpus.count", fmt::format("{} GPUs cannot share an output of {} tiles: each needs one at least",
                                                  count, grid.tiles()));
  const bool mirror = config.gpus.model == GpuModel::mirror;
  if (mirror && !ChunkMap(grid, count).alike(grid))
    throw sources.error("gpus.model", fmt::format("mirror needs chunks that are alike, but {} rows of {} tiles do not "
                                                  "divide by {}; use gpus.model: explicit",
                                                  grid.tile_rows(), grid.tile_cols(), count));
  const GemmSpec spec = gemm_spec(config, 0);
  if (mirror && spec.tile.m * spec.element_bytes() % kLineBytes != 0)
    throw sources.error("gpus.model", fmt::format("mirror needs tiles whose columns are whole lines of {} bytes; use "
                                                  "gpus.model: explicit",
                                                  kLineBytes));
  if (mirror && !config.gpus.overrides.empty())
    throw sources.error("gpus.overrides", "GPUs that differ need gpus.model: explicit");
  for (const auto& [gpu, what] : config.gpus.overrides)
    if (gpu >= count)
      throw sources.error(fmt::format("gpus.overrides.{}", gpu), fmt::format("there is no GPU {}; gpus.count is {}", gpu, count));
  if (config.run.functional && config.l2.kernel_boundary == KernelBoundary::keep)
    throw sources.error("run.functional", "needs l2.kernel_boundary: flush, as it looks at memory between phases");
  if (mirror && config.run.functional)
    throw sources.error("run.functional", "needs gpus.model: explicit, as every GPU has numbers of its own");
}

void check_tracker(const Config& config, const config::Sources& sources) {
  const std::uint32_t ways = tracker_ways(config);
  const std::uint32_t wavefronts = kernel_traits(config).wavefronts;
  const auto* entries = std::get_if<std::uint64_t>(&config.tracker.capacity);
  if ((entries && *entries % kTrackerSets != 0) || (ways != 0 && ways < wavefronts))
    throw sources.error("tracker.capacity",
                        fmt::format("must be a multiple of its {} sets, each with room for the {} wavefronts of a "
                                    "workgroup: at least {}",
                                    kTrackerSets, wavefronts, kTrackerSets * wavefronts));
}

// Schemes with a collective need a kernel whose output is known, each element of it written once.
void check_schemes(const Config& config, const config::Sources& sources) {
  if (!runs_collective(config)) return;
  if (!config.workload.has_gemm)
    throw sources.error("schemes", "this kernel is not a GEMM whose output is known; only the scheme kernel can run it");
  const GemmSpec spec = gemm_spec(config, 0);
  if (spec.split_k > 1 || spec.persistent != 0 || spec.element_bytes() != 2)
    throw sources.error("schemes", "split-K, persistent and other than 2-byte kernels run under the scheme kernel only");
}

}  // namespace

void settle_config(Config& config, const config::Sources& sources) {
  WorkloadConfig& w = config.workload;
  if (w.microbenchmark.kind != MicrobenchmarkKind::none) {
    if (!w.trace.empty()) throw sources.error("workload.trace", "a trace or a microbenchmark, not both");
    w.generated = w.has_gemm = false;
    w.traits = MicrobenchmarkKernel(w.microbenchmark, static_cast<std::uint32_t>(config.gpu.wavefront_threads)).traits();
    return;
  }
  if (w.trace.empty()) return;
  const TraceHeader header = TraceKernel(w.trace).header();
  w.generated = false;
  w.traits = header.traits;
  w.has_gemm = header.gemm.has_value();
  if (!w.has_gemm) return;
  const GemmSpec& spec = *header.gemm;
  w.traced = spec;
  if (!sources.said("workload.name")) w.name = header.name;
  take_over(w.m, spec.shape.m, "workload.m", sources);
  take_over(w.n, spec.shape.n, "workload.n", sources);
  take_over(w.k, spec.shape.k, "workload.k", sources);
  take_over(w.layout, spec.layout, "workload.layout", sources);
  take_over(w.tile, {spec.tile.m, spec.tile.n, spec.tile.k}, "workload.tile", sources);
  take_over(w.wavefronts, spec.wavefronts, "workload.wavefronts", sources);
  take_over(w.buffers, spec.buffers, "workload.buffers", sources);
  take_over(w.order, spec.order.kind, "workload.order", sources);
  take_over(w.order_group, spec.order.group, "workload.order_group", sources);
}

void check_config(const Config& config, const config::Sources& sources) {
  if (config.workload.has_gemm) check_gemm(config, sources);
  check_occupancy(config, sources);
  check_memory(config, sources);
  check_schemes(config, sources);
  if (!runs_collective(config)) return;
  check_gpus(config, gemm_spec(config, 0).c().grid, sources);
  check_tracker(config, sources);
}

bool runs_collective(const Config& config) {
  return std::ranges::any_of(config.schemes, [](SchemeId id) { return id != SchemeId::kernel; });
}

KernelTraits kernel_traits(const Config& config) {
  return config.workload.generated ? GemmKernel(gemm_spec(config, 0)).traits() : config.workload.traits;
}

MemoryConfig memory_config(const Config& config, ArbitrationKind policy) {
  MemoryConfig memory = config.memory;
  memory.arbitration.policy = policy;
  const auto& threshold = config.arbitration.threshold;
  const auto* bursts = std::get_if<std::uint64_t>(&threshold);
  const bool none = !bursts && std::get<ThresholdSetting>(threshold) == ThresholdSetting::none;
  memory.arbitration.threshold_bursts = bursts ? static_cast<std::uint32_t>(*bursts)
                                        : none ? ArbitrationConfig::kNoThreshold
                                               : ArbitrationConfig::kAutoThreshold;
  memory.arbitration.starvation_limit_cycles = config.arbitration.starvation_limit_cycles;
  return memory;
}

TimeBase time_base(const Config& config) {
  std::vector<std::uint64_t> clocks{config.gpu.clock_hz, config.memory.clock_hz};
  for (const auto& [gpu, what] : config.gpus.overrides)
    if (what.clock_hz) clocks.push_back(*what.clock_hz);
  return TimeBase(clocks);
}

std::uint32_t tracker_ways(const Config& config) {
  if (const auto* entries = std::get_if<std::uint64_t>(&config.tracker.capacity))
    return static_cast<std::uint32_t>(*entries / kTrackerSets);
  return std::get<TrackerCapacity>(config.tracker.capacity) == TrackerCapacity::paper ? kPaperTrackerWays : 0;
}

std::string_view to_string(SchemeId scheme) {
  switch (scheme) {
    case SchemeId::sequential: return "sequential";
    case SchemeId::t3: return "t3";
    case SchemeId::t3_mca: return "t3-mca";
    case SchemeId::ideal_overlap: return "ideal-overlap";
    case SchemeId::ideal_rs_nmc: return "ideal-rs-nmc";
    case SchemeId::kernel: return "kernel";
  }
  return "";
}

GemmSpec gemm_spec(const Config& config, std::uint32_t rank) {
  const WorkloadConfig& w = config.workload;
  GemmSpec spec;
  if (w.traced) {
    spec = *w.traced;
  } else {
    spec.shape = {w.m, w.n, w.k};
    spec.layout = w.layout;
    spec.tile = {w.tile[0], w.tile[1], w.tile[2]};
    spec.wavefronts = w.wavefronts;
    spec.buffers = w.buffers;
    spec.order.kind = w.order;
    spec.order.group = w.order_group;
    spec.place(0);
  }
  const ChunkMap chunks(spec.c().grid, config.gpus.count);
  spec.order.start_tile = chunks.first_tile(rank);
  return spec;
}

unsigned workgroups_per_cu(const GpuConfig& gpu, const KernelTraits& traits) {
  if (traits.workgroups_per_cu != 0) return traits.workgroups_per_cu;
  std::uint64_t fit = gpu.threads_per_cu / (traits.wavefronts * gpu.wavefront_threads);
  if (traits.register_bytes != 0) fit = std::min(fit, gpu.registers_bytes / traits.register_bytes);
  if (traits.lds_bytes != 0) fit = std::min(fit, gpu.l1_lds_bytes / traits.lds_bytes);
  return static_cast<unsigned>(std::min<std::uint64_t>(fit, 32));
}

std::uint64_t l1_bytes(const GpuConfig& gpu, const KernelTraits& traits, unsigned workgroups) {
  const std::uint64_t lds = workgroups * traits.lds_bytes;
  return lds < gpu.l1_lds_bytes ? gpu.l1_lds_bytes - lds : 0;
}

}  // namespace t3sim
