// The keys of workload, GPUs, collective and run, and the sections of a configuration. Those of the parts are
// described beside them.
#include "machine/config.h"

namespace t3sim {

using config::Visitor;

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
  v.choice("layout", c.layout, "transposition of A and B, column-major BLAS terms");
  v.dimensions("tile", c.tile, {1, 4096}, "tile of a workgroup, m x n x k");
  v.count("wavefronts", c.wavefronts, {1, 32}, "wavefronts a workgroup");
  v.count("buffers", c.buffers, {1, 8}, "K steps held in LDS: 2 is double buffering");
  v.choice("order", c.order, "order in which workgroups are dispatched");
  v.count("order_group", c.order_group, {1, 1024}, "rows (columns) of tiles a group, for grouped orders");
  v.flag("order_serpentine", c.order_serpentine, "every other group from its far end back");
  v.count("split_k", c.split_k, {1, 1024},
          "workgroups that share a tile, each with its part of K (section 7.7)");
  v.count("persistent", c.persistent, {0, 1 << 20}, "workgroups that walk all tiles; 0: a workgroup a tile");
  v.choice("type", c.type, "of the elements of A, B and C");
  v.choice("data", c.data, {{"random", OperandData::random}, {"zeros", OperandData::zeros}},
           "what A holds, for the power of matrix units (gpu.matrix_clock, execution.power)");
  v.choice("output", c.output,
           {{"column-major", OutputLayout::column_major}, {"row-major", OutputLayout::row_major}},
           "layout of C in memory");
  v.text("kernel", c.kernel,
         "a library's kernel by its name (docs/kernels.md): decides tile, order and what else it says");
  v.count("cluster", c.cluster, {1, 16},
          "workgroups, neighbours along m, that load the panel of B they share together (multicast)");
  v.flag("cluster_along_n", c.cluster_along_n, "they are neighbours along n, and share a panel of A");
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
  v.bandwidth("link_bandwidth", c.link_bandwidth_Bps, {1'000'000, 100'000 * config::kGB},
              "of this GPU's own links (two-level: those in its node)");
  v.time("start_delay", c.start_delay_ps, {0, 1000 * config::kMs}, "by which this GPU starts late");
}

static void describe(Visitor& v, GpusConfig& c) {
  v.required().count("count", c.count, {2, 4096}, "GPUs that share the layer (tensor-parallel degree)");
  v.size("memory", c.memory_bytes, {1, 1ULL << 44},
         "of each GPU: programs and whole models that need more are refused; not said: not checked");
  v.choice("model", c.choice,
           {{"auto", GpuModel::automatic},
            {"mirror", GpuModel::mirror},
            {"explicit", GpuModel::explicit_},
            {"message", GpuModel::message}},
           "mirror: simulate one GPU, its own output coming back in; explicit: simulate all; auto: mirror "
           "where that is exact, else explicit; message: collectives alone (docs/messages.md)");
  v.map("overrides", c.overrides, {0, 254}, "what differs on single GPUs, by GPU (explicit only)");
}

static void describe(Visitor& v, RunConfig& c) {
  v.choice("clock", c.clock, {{"boost", ClockChoice::boost}, {"power", ClockChoice::power}},
           "of programs; power: what execution.power allows if the program is called over and over");
  v.count("calls", c.calls, {0, 1 << 30},
          "of the program in a row after a rest, for clock: power; 0: over and over");
  v.choice("power_mean", c.power_mean, {{"run", PowerMean::run}, {"gemms", PowerMean::gemms}},
           "what clock: power counts: the program, or the program until its last GEMM has ended");
  v.real("duty", c.duty, {0.01, 1},
         "of the time, that the program runs, for clock: power; the GPU is idle for the rest; not said: all");
  v.choice(
      "sampling", c.sampling,
      {{"off", SamplingChoice::off}, {"auto", SamplingChoice::automatic}, {"phases", SamplingChoice::phases}},
      "of programs; auto: short runs and a line stand for long ones; phases: a short run of what is under "
      "way together stands for as long as it is");
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
  v.choice("algorithm", c.algorithm, "how it is done; all-to-all is always direct");
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

static void describe(Visitor& v, ProgramConfig& c) {
  v.text("file", c.file, "a program, instead of schemes: a name (t3sim program list) or a file");
  v.counts("parameters", c.parameters, {0, ~0ULL >> 1}, "of the program, by name, instead of its defaults");
}

static void describe(Visitor& v, CommandsConfig& c) {
  v.time("issue", c.issue_ps, {0, config::kMs}, "of the host, per command");
  v.time("next_kernel", c.next_kernel_ps, {0, config::kMs},
         "launch of a kernel, not a GEMM, that was issued before the kernel ahead of it in its stream ended; "
         "not said: gpu.kernel_launch_cycles");
  v.time("change", c.change_ps, {0, config::kMs},
         "more, of a copy that goes on from a kernel, and of a kernel that goes on from a copy; not said: "
         "nothing");
  v.time("copy", c.copy_ps, {0, config::kMs}, "from the front of a stream until a copy engine's first read");
  v.time("signal", c.signal_ps, {0, config::kMs}, "likewise, until a signal leaves");
  v.time("put", c.put_ps, {0, config::kMs}, "of a GPU that asks its network card for a put");
  v.time("poll", c.poll_ps, {0, config::kMs}, "from a signal's arrival until those who wait go on");
  v.time("barrier", c.barrier_ps, {0, config::kMs}, "of a barrier of streams, beside the way of its news");
}

static void describe(Visitor& v, MachineConfig& c) {
  v.flag("t3_hardware", c.t3_hardware,
         "Tracker, near-memory adds and arbitration of T3; false: schemes that need them are refused");
}

void describe(Visitor& v, Config& c) {
  v.section("workload", c.workload, "the GEMM and its trace");
  v.section("program", c.program, "what runs, if not schemes (docs/programs.md)");
  v.section("machine", c.machine, "what the machine has beside GPUs of today");
  v.section("gpus", c.gpus, "the node");
  v.section("topology", c.topology, "the links");
  v.section("collective", c.collective, "what the GPUs exchange");
  v.section("gpu", c.gpu, "one GPU");
  v.section("l2", c.l2, "its L2");
  v.section("memory", c.memory, "its memory");
  v.section("tracker", c.tracker, "its Tracker (section 4.2.1)");
  v.section("dma", c.dma, "its DMA engine (section 4.2.2)");
  v.section("arbitration", c.arbitration, "its memory controllers' policy (section 4.5)");
  v.section("execution", c.execution, "software and power of a real GPU");
  v.section("estimate", c.estimate, "of t3sim validate measured --estimate alone: no run reads it");
  v.section("commands", c.commands, "what commands of programs cost (docs/programs.md)");
  v.section("message", c.message, "collectives alone, with gpus.model: message (docs/messages.md)");
  v.texts("schemes", c.schemes, "what to compare: names (t3sim list schemes) or files (docs/programs.md)");
  v.section("run", c.run, "how to run");
}

}  // namespace t3sim
