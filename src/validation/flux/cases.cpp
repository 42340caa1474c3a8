#include "validation/flux/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/number.h"
#include "config/config.h"
#include "presets/machine.h"
#include "run/check_config.h"
#include "runtime/sampling.h"

namespace t3sim::flux {
namespace {

constexpr std::uint32_t kGpus = 8, kWide = 49152 / kGpus, kNarrow = 12288;

struct Program {
  std::string name;
  std::map<std::string, std::uint64_t> parameters;
};

// What it runs on decides which of Flux's kernels it is.
struct Machine {
  bool hopper, pcie;
  std::uint64_t cus;
};

Program gather_program(Method method, std::uint32_t m, const Machine& machine) {
  switch (method) {
    case Method::gemm:
      return {"decomposed-gemm", {{"pieces", 1}}};
    case Method::collective:
      return {"gather-then-gemm", {{"library", 1}, {"gemm", 0}}};
    case Method::push:
      return {"all-gather-gemm-push", {{"rows", m / kGpus}}};
    case Method::naive:
      return {"all-gather-gemm", {{"rows", m / kGpus}, {"shift", 0}}};
    case Method::medium:
      return {"validation/flux/user-buffers-all-gather-gemm.yaml", {{"together", 1}}};
    case Method::pairs:
      return {"validation/flux/user-buffers-all-gather-gemm.yaml", {{"together", 2}}};
    case Method::ring:
      return {"medium-grained-all-gather-gemm", {}};
    default:
      return {machine.pcie ? "validation/flux/ring-all-gather-gemm.yaml" : "all-gather-gemm",
              {{"rows", m / kGpus}}};
  }
}

// On Hopper, Flux's kernel hands tiles on beside its matrix units; on Ampere its epilogue stores them into their owner.
Program stored_to_owners(bool hopper, std::uint32_t shift) {
  if (hopper) return {"gemm-reduce-scatter-beside", {{"shift", shift}}};
  return {"gemm-reduce-scatter", {{"shift", shift}}};
}

Program scatter_program(Method method, std::uint32_t m, const Machine& machine) {
  switch (method) {
    case Method::gemm:
      return {"decomposed-gemm", {{"pieces", 1}}};
    case Method::collective:
      return {"gemm-then-reduce-scatter", {{"gemm", 0}}};
    case Method::naive:
      return stored_to_owners(machine.hopper, 0);
    case Method::medium:
      return {"validation/flux/user-buffers-gemm-reduce-scatter.yaml",
              {{"cus", machine.cus}, {"rows", std::min(16U, m / kGpus)}}};
    case Method::ring:
      return {"medium-grained-gemm-reduce-scatter", {}};
    case Method::two_streams:
      return {"two-streams-gemm-reduce-scatter", {}};
    default:
      if (machine.pcie) return {"validation/flux/ring-gemm-reduce-scatter.yaml", {}};
      return stored_to_owners(machine.hopper, 1);
  }
}

bool is_hopper(const Config& config) { return config.gpu.kernels == KernelChoice::cublas; }

// On Hopper, of the kernels that are known the one whose tiles divide the shards of all m from 1024 on. Medium-grained
// methods and the GEMM alone have the one that suits their shape.
bool needs_own_tile(const Config& config, Method method) {
  return is_hopper(config) && (method == Method::fused || method == Method::naive || method == Method::push);
}

void set(config::Node& root, std::string_view key, const auto& value) {
  config::apply_override(root, fmt::format("{}={}", key, value));
}

Config machine_of(const std::string& name) {
  Config config;
  config::read(config::load_file(presets::machine_path(name)).root, config);
  return config;
}

constexpr std::uint32_t kTileRows = 128;  // of those that are stored into their owner

bool stores_tiles(Pattern pattern, Method method) {
  return pattern == Pattern::scatter && (method == Method::fused || method == Method::naive);
}

// Ampere's epilogue stores tiles row by row, so that one may have several owners: here each has one.
bool has(const std::string& machine, Pattern pattern, Method method, std::uint32_t m) {
  if (method == Method::push || method == Method::pairs) return pattern == Pattern::gather;
  if (method == Method::two_streams) return pattern == Pattern::scatter;
  return !stores_tiles(pattern, method) || m >= kGpus * kTileRows || is_hopper(machine_of(machine));
}

// Hopper's kernel takes whole tiles for each GPU only (its repository checks that): fewer rows are padded.
std::uint32_t padded(std::uint32_t m) { return ceil_div(m, kGpus * kTileRows) * kGpus * kTileRows; }

void add(std::vector<Run>& runs, const std::string& machine, std::uint32_t m,
         std::initializer_list<Method> methods) {
  for (const Pattern pattern : kPatterns)
    for (const Method method : methods)
      if (has(machine, pattern, method, m)) runs.push_back({{machine, pattern, m}, method});
}

}  // namespace

std::string_view to_string(Pattern pattern) { return pattern == Pattern::gather ? "gather" : "scatter"; }

std::string_view to_string(Method method) {
  constexpr std::string_view kNames[] = {"gemm",   "collective", "fused", "naive",      "push",
                                         "medium", "pairs",      "ring",  "two-streams"};
  return kNames[static_cast<std::size_t>(method)];
}

Config configure(const Case& c, Method method) {
  config::Document document = config::load_file(presets::machine_path(c.machine));
  config::Node& root = document.root;
  const bool gather = c.pattern == Pattern::gather;
  const Config bare = machine_of(c.machine);
  const Machine machine{is_hopper(bare), bare.topology.kind == TopologyKind::pcie_tree, bare.gpu.cus};
  Program program = gather ? gather_program(method, c.m, machine) : scatter_program(method, c.m, machine);
  program.parameters.insert({{"m", machine.hopper && stores_tiles(c.pattern, method) ? padded(c.m) : c.m},
                             {"n", gather ? kWide : kNarrow},
                             {"k", gather ? kNarrow : kWide}});
  set(root, "program.file", program.name);
  for (const auto& [name, value] : program.parameters) set(root, "program.parameters." + name, value);
  set(root, "run.sampling", why_not_sampled(bare).empty() ? "auto" : "off");
  // The GEMM alone is GPU 0's; PCIe has whole nodes.
  set(root, "gpus.count", method == Method::gemm && !machine.pcie ? 2 : kGpus);
  if (machine.pcie) set(root, "topology.pcie.peer_access", "true");  // Flux's stores need it
  Config config;
  const config::Sources sources = config::read(root, config);
  if (needs_own_tile(config, method))
    config.workload.kernel = "nvjet_sm90_hsh_256x128_64x4_1x2_h_bz_coopA_NNT";
  settle_config(config, sources);
  check_config(config, sources);
  return config;
}

std::vector<Run> runs_of_evaluation(bool all) {
  using enum Method;
  std::vector<Run> runs;
  if (!all) {
    for (const char* machine : {"a800-x8", "h800-x8"}) {
      add(runs, machine, 4096, {gemm, collective, fused});
    }
    add(runs, "h800-x8", 1024, {gemm, collective, fused, medium});
    return runs;
  }
  for (const char* machine : {"a800-x8", "h800-x8", "a100-nvlink-x8", "a100-pcie-x8"})
    for (const std::uint32_t m : {64, 512, 1024, 2048, 4096, 8192})
      add(runs, machine, m, {gemm, collective, fused, naive, push, medium, pairs, ring, two_streams});
  return runs;
}

}  // namespace t3sim::flux
