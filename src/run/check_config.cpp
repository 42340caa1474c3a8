#include "run/check_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "base/number.h"
#include "config/units.h"
#include "interconnect/topology.h"
#include "kernel/gemm_kernel.h"
#include "machine/named_kernel.h"
#include "machine/required_keys.h"
#include "memctrl/address_map.h"
#include "memctrl/channel.h"
#include "program/library.h"
#include "run/check_collective.h"
#include "run/gpu_model.h"
#include "run/messages.h"
#include "run/scheme_table.h"
#include "trace/trace_kernel.h"
#include "tracker/table_size.h"

namespace t3sim {

namespace {

template <class T>
std::string text_of(const T& value) {
  if constexpr (HasNames<T>)
    return std::string(to_string(value));
  else if constexpr (std::is_same_v<T, OutputLayout>)
    return value == OutputLayout::column_major ? "column-major" : "row-major";
  else if constexpr (std::is_arithmetic_v<T>)
    return fmt::format("{}", value);
  else
    return fmt::format("{}", fmt::join(value, "x"));
}

// A key that the file says must not contradict the trace; one that it does not say takes the trace's value.
template <class T>
void take_over(T& value, const T& traced, const char* key, const config::Sources& sources) {
  if (sources.said(key) && value != traced)
    throw sources.error(
        key, fmt::format("{} is not what workload.trace says: {}", text_of(value), text_of(traced)));
  value = traced;
}

void check_gemm(const Config& config, const config::Sources& sources) {
  const WorkloadConfig& w = config.workload;
  for (const auto& [key, value] : {std::pair{"workload.m", w.m}, {"workload.n", w.n}, {"workload.k", w.k}})
    if (value == 0) throw sources.error(key, "is missing; a GEMM needs m, n and k");
  const GemmSpec spec = gemm_spec(config, 0);
  if (spec.tile.k != 0 && spec.split_k > spec.k_steps())
    throw sources.error("workload.split_k",
                        fmt::format("is {}; allowed: 1 to {}, the K steps", spec.split_k, spec.k_steps()));
  try {
    spec.check();
  } catch (const InputError& e) {
    throw sources.error("workload.tile", e.what());
  }
  const std::uint64_t end = spec.c_address + spec.c().layout.footprint_bytes();
  if (end > kAddressSpaceBytes)
    throw sources.error("workload.m",
                        fmt::format("the matrices take {} GiB; a GPU's memory has at most {} GiB", end >> 30,
                                    kAddressSpaceBytes >> 30));
}

void check_occupancy(const Config& config, const config::Sources& sources) {
  const KernelTraits traits = kernel_traits(config);
  const GpuConfig& g = config.gpu;
  if (workgroups_per_cu(g, traits) != 0) return;
  throw sources.error(
      config.workload.generated ? "workload.tile" : "workload.trace",
      fmt::format("a workgroup needs {} threads, {} bytes of registers and {} bytes of LDS; a CU has {}, "
                  "{} and {}",
                  traits.wavefronts * g.wavefront_threads, traits.register_bytes, traits.lds_bytes,
                  g.threads_per_cu, g.registers_bytes, g.lds_bytes));
}

// The sizes below and above that its slices and ways can make; of all dies.
std::string near_l2_sizes(const L2Config& l2) {
  std::uint64_t above = l2.dies * l2.slices * l2.ways * kLineBytes;
  if (l2.size_bytes <= above) return config::format_quantity(config::kSize, above);
  while (above < l2.size_bytes) above *= 2;
  return fmt::format("{} and {}", config::format_quantity(config::kSize, above / 2),
                     config::format_quantity(config::kSize, above));
}

// "memory.row must be ...", "memory.mapping: ...": at the key that it begins with.
InputError memory_error(std::string_view said, const config::Sources& sources) {
  const std::size_t end = std::min(said.find_first_of(": "), said.size());
  const std::size_t text = std::min(said.find_first_not_of(": ", end), said.size());
  if (!said.starts_with("memory.")) return sources.error("memory", said);
  return sources.error(said.substr(0, end), said.substr(text));
}

bool makes_slices(std::uint64_t bytes, std::uint64_t slices, std::uint64_t ways) {
  const std::uint64_t lines = bytes / slices / kLineBytes;
  return bytes % (slices * kLineBytes) == 0 && lines % ways == 0 && std::has_single_bit(lines / ways);
}

void check_ways_between_slices(const L2Config& l2, const config::Sources& sources) {
  if ((l2.partitions > 1 || l2.memory_side.size_bytes != 0) && l2.partition_latency_cycles == 0)
    throw sources.error("l2.partition_latency_cycles",
                        "the way between partitions, or to the memory-side cache, takes 1 cycle at least",
                        {"l2.partitions", "l2.memory_side.size"});
}

void check_memory_side(const L2Config& l2, const config::Sources& sources) {
  if (l2.memory_side.size_bytes == 0) {
    if (l2.dies == 1) return;
    throw sources.error("l2.dies", "several dies need a cache that they share: l2.memory_side.size",
                        {"l2.memory_side.size"});
  }
  if (l2.partitions != 1)
    throw sources.error("l2.partitions", "a memory-side cache is behind dies, not partitions: must be 1");
  if (!makes_slices(l2.memory_side.size_bytes, l2.slices, l2.memory_side.ways))
    throw sources.error("l2.memory_side.size",
                        "must be l2.slices x l2.memory_side.ways x a power of two of sets x 128 bytes",
                        {"l2.memory_side.ways", "l2.slices"});
}

void check_memory(const Config& config, const config::Sources& sources) {
  if (config.l2.slices % config.memory.channels != 0)
    throw sources.error("l2.slices",
                        fmt::format("must be a multiple of the {} memory channels", config.memory.channels),
                        {"memory.channels"});
  if (config.l2.slices / config.memory.channels > kMaxSlicesPerChannel)
    throw sources.error(
        "l2.slices",
        fmt::format("a memory channel has at most {} slices: {} for the {} channels", kMaxSlicesPerChannel,
                    kMaxSlicesPerChannel * config.memory.channels, config.memory.channels),
        {"memory.channels"});
  if (config.gpu.lds_bytes > config.gpu.l1_lds_bytes)
    throw sources.error("gpu.lds", "is a part of gpu.l1_lds, and larger than that");
  if (!makes_slices(config.l2.size_bytes, config.l2.dies * config.l2.slices, config.l2.ways))
    throw sources.error("l2.size",
                        fmt::format("must be slices x ways x a power of two of sets x 128 bytes; the "
                                    "nearest: {}",
                                    near_l2_sizes(config.l2)),
                        {"l2.ways", "l2.slices"});
  check_memory_side(config.l2, sources);
  check_ways_between_slices(config.l2, sources);
  try {
    memory_config(config, ArbitrationKind::round_robin).validate();
    const AddressMap map(config.memory, narrow<unsigned>(config.l2.slices / config.memory.channels));
  } catch (const InputError& e) {
    throw memory_error(e.what(), sources);
  }
  try {
    time_base(config);
  } catch (const InputError& e) {
    throw sources.error("gpu.clock", e.what());
  }
}

void check_gpus(const Config& config, const config::Sources& sources) {
  const std::uint32_t count = config.gpus.count;
  for (const auto& [gpu, what] : config.gpus.overrides)
    if (gpu >= count)
      throw sources.error(fmt::format("gpus.overrides.{}", gpu),
                          fmt::format("there is no GPU {}; gpus.count is {}", gpu, count));
  const bool schemes = config.program.file.empty();  // programs keep values above the L2
  if (config.run.functional && schemes && config.l2.kernel_boundary == KernelBoundary::keep)
    throw sources.error("run.functional",
                        "needs l2.kernel_boundary: flush, as it looks at memory between phases");
  check_topology(config.topology, count, sources);
}

void check_tracker(const Config& config, const config::Sources& sources) {
  const std::uint32_t ways = tracker_ways(config.tracker);
  const std::uint32_t wavefronts = kernel_traits(config).wavefronts;
  const auto* entries = std::get_if<std::uint64_t>(&config.tracker.capacity);
  if ((entries && *entries % kTrackerSets != 0) || (ways != 0 && ways < wavefronts))
    throw sources.error(
        "tracker.capacity",
        fmt::format("must be a multiple of its {} sets, each with room for the {} wavefronts of a "
                    "workgroup: at least {}",
                    kTrackerSets, wavefronts, kTrackerSets * wavefronts));
}

void check_scheme_names(const Config& config, const config::Sources& sources) {
  if (config.schemes.empty()) throw sources.error("schemes", "is empty: name one scheme at least");
  std::set<std::string> names;
  for (std::size_t i = 0; i < config.schemes.size(); ++i) {
    const std::string item = fmt::format("schemes.{}", i);
    const std::string path = sources.said(item) ? item : "schemes";
    try {
      const std::string name = program_library::scheme(config.schemes[i])->name;
      if (!names.insert(name).second) throw InputError(fmt::format("there is a scheme {} already", name));
    } catch (const InputError& e) {
      throw sources.error(path, e.what());
    }
  }
}

// Schemes with a collective need a kernel whose output is known, each element of it written once.
void check_schemes(const Config& config, const config::Sources& sources) {
  if (!runs_collective(config)) {
    if (config.run.functional)
      throw sources.error("run.functional", "checks what a collective leaves behind; only the kernel is run");
    return;
  }
  if (!config.workload.has_gemm)
    throw sources.error("schemes",
                        "this kernel is not a GEMM whose output is known; only the scheme kernel can run it");
  const GemmSpec spec = gemm_spec(config, 0);
  if (spec.persistent != 0)
    throw sources.error("schemes", "persistent kernels run under the scheme kernel only");
  if (spec.workspace_bytes() != 0)
    throw sources.error("schemes",
                        "nothing adds up the parts that split-K workgroups leave in a workspace: only the "
                        "scheme kernel can run it",
                        {"workload.split_workspace", "workload.kernel"});
}

}  // namespace

static TraceHeader traced_header(const std::string& path, const config::Sources& sources) {
  try {
    return TraceKernel(path).header();
  } catch (const InputError& e) {
    throw sources.error("workload.trace", e.what());
  }
}

void settle_config(Config& config, const config::Sources& sources) {
  WorkloadConfig& w = config.workload;
  if (w.microbenchmark.kind != MicrobenchmarkKind::none) {
    if (!w.trace.empty()) throw sources.error("workload.trace", "a trace or a microbenchmark, not both");
    w.generated = w.has_gemm = false;
    if (!sources.said("workload.name")) w.name = "microbenchmark";
    w.traits =
        MicrobenchmarkKernel(w.microbenchmark, narrow<std::uint32_t>(config.gpu.wavefront_threads)).traits();
    return;
  }
  const bool program = !config.program.file.empty();
  if (program && config.gpus.choice == GpuModel::message)
    throw sources.error("gpus.model", "message runs collectives, not programs", {"program.file"});
  if (program || config.gpus.choice == GpuModel::message) {  // no GEMM but those that launches describe
    for (std::uint32_t* extent : {&w.m, &w.n, &w.k}) *extent = std::max(*extent, 128U);
  }
  if (!w.kernel.empty()) settle_named_kernel(config, sources);
  if (w.trace.empty()) return;
  const TraceHeader header = traced_header(w.trace, sources);
  w.generated = false;
  w.traits = header.traits;
  w.has_gemm = header.gemm.has_value();
  if (!sources.said("workload.name")) w.name = header.name;
  if (!w.has_gemm) return;
  GemmSpec spec = *header.gemm;
  for (std::uint64_t* address : {&spec.a_address, &spec.b_address, &spec.c_address})
    *address %= kAddressSpaceBytes;
  w.traced = spec;
  take_over(w.m, spec.shape.m, "workload.m", sources);
  take_over(w.n, spec.shape.n, "workload.n", sources);
  take_over(w.k, spec.shape.k, "workload.k", sources);
  take_over(w.layout, spec.layout, "workload.layout", sources);
  take_over(w.tile, {spec.tile.m, spec.tile.n, spec.tile.k}, "workload.tile", sources);
  take_over(w.wavefronts, spec.wavefronts, "workload.wavefronts", sources);
  take_over(w.buffers, spec.buffers, "workload.buffers", sources);
  take_over(w.order, spec.order.kind, "workload.order", sources);
  take_over(w.order_group, spec.order.group, "workload.order_group", sources);
  take_over(w.split_k, spec.split_k, "workload.split_k", sources);
  take_over(w.persistent, spec.persistent, "workload.persistent", sources);
  take_over(w.type, spec.type, "workload.type", sources);
  take_over(w.output, OutputLayout::column_major, "workload.output", sources);
}

// Programs name their arrays themselves; with `gpus.model: auto` one GPU stands for all where that is exact.
static void check_for_program(const Config& config, const config::Sources& sources) {
  check_memory(config, sources);
  if (config.l2.kernel_boundary != KernelBoundary::keep)
    throw sources.error("l2.kernel_boundary", "programs need keep: kernels of several streams share the L2",
                        {"program.file"});
  check_gpus(config, sources);
}

static void check_schemes_and_machine(const Config& config, const config::Sources& sources) {
  if (config.gpus.choice == GpuModel::message) {
    require_machine(config, sources, MachineUse::messages);
    return check_messages(config, sources);
  }
  constexpr std::uint32_t kMostAtCycleLevel = 255;
  if (config.gpus.count > kMostAtCycleLevel)
    throw sources.error("gpus.count",
                        fmt::format("{} is too large; allowed: 2 to {}, more with gpus.model: message",
                                    config.gpus.count, kMostAtCycleLevel));
  if (!config.program.file.empty()) {
    require_machine(config, sources, MachineUse::run);
    return check_for_program(config, sources);
  }
  if (!config.program.parameters.empty())
    throw sources.error("program.parameters", "of which program? program.file names it");
  check_scheme_names(config, sources);
  require_machine(config, sources, runs_collective(config) ? MachineUse::run : MachineUse::kernel);
  if (config.workload.has_gemm) check_gemm(config, sources);
  check_occupancy(config, sources);
  check_memory(config, sources);
  check_schemes(config, sources);
  if (!runs_collective(config)) return;
  check_gpus(config, sources);
  check_tracker(config, sources);
  check_collective(config, sources);
}

void check_config(Config& config, const config::Sources& sources) {
  check_schemes_and_machine(config, sources);
  settle_gpu_model(config, sources);
}

}  // namespace t3sim
