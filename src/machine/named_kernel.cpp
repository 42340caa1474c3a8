#include "machine/named_kernel.h"

#include <cmath>

namespace t3sim {
namespace {

std::uint64_t cycles(const Config& config, std::uint64_t ps) {
  return static_cast<std::uint64_t>(
      std::llround(static_cast<double>(ps) * 1e-12 * static_cast<double>(config.gpu.clock_hz)));
}

double matrix_efficiency(const GemmExecutionConfig& library, const LibraryKernelName& kernel) {
  if (kernel.library != KernelLibrary::triton) return library.matrix_efficiency;
  return compiled_efficiency(library, kernel.tile.m * kernel.tile.n, kernel.buffers);
}

}  // namespace

double compiled_efficiency(const GemmExecutionConfig& library, std::uint64_t tile_elements,
                           std::uint32_t steps_in_flight) {
  constexpr std::uint64_t kOneGroup = 128 * 128;  // whose sums four wavefronts can keep in registers
  constexpr std::uint32_t kEnough =
      4;  // K steps in flight, of which the product that two groups have begun holds one
  return tile_elements <= kOneGroup || steps_in_flight >= kEnough ? library.compiled_efficiency
                                                                  : library.compiled_pair_efficiency;
}

void use_kernel(const Config& config, const LibraryKernelName& kernel, std::uint32_t cus, GemmSpec& spec) {
  const GemmExecutionConfig& library = config.execution.gemm;
  apply(kernel, cus, spec);
  spec.row_major_output = true;
  spec.bypass_l1 = true;
  const bool triton = kernel.library == KernelLibrary::triton;
  spec.l2_adds = !triton && config.l2.waiting_add_sectors != 0;
  spec.store_bytes_per_cycle = triton ? library.tile_bytes_per_cycle : library.library_tile_bytes_per_cycle;
  spec.issue_efficiency = matrix_efficiency(library, kernel);
  // A persistent workgroup is filled once; the others start one after the other on a CU.
  spec.prologue_cycles = static_cast<std::uint32_t>(
      cycles(config, library.tile_fill_ps + (spec.persistent == 0 ? library.workgroup_start_ps : 0)));
}

void use_kernel(Config& config, const LibraryKernelName& kernel) {
  WorkloadConfig& w = config.workload;
  const GemmExecutionConfig& library = config.execution.gemm;
  GemmSpec spec;
  spec.shape = {w.m, w.n, w.k};
  use_kernel(config, kernel, static_cast<std::uint32_t>(config.gpu.cus), spec);
  w.tile = {spec.tile.m, spec.tile.n, spec.tile.k};
  w.buffers = spec.buffers;
  w.order = spec.order.kind;
  w.order_group = spec.order.group;
  w.order_serpentine = spec.order.serpentine;
  w.cluster = spec.cluster;
  w.cluster_along_n = spec.cluster_along_n;
  w.persistent = spec.persistent;
  w.takes_next = spec.takes_next;
  w.split_k = spec.split_k;
  w.split_workspace = spec.split_workspace;
  w.output = OutputLayout::row_major;
  w.bypass_l1 = spec.bypass_l1;
  const bool triton = kernel.library == KernelLibrary::triton;
  w.store_bytes_per_cycle = spec.store_bytes_per_cycle;
  w.prologue_cycles = spec.prologue_cycles;
  config.gpu.matrix_issue_efficiency = matrix_efficiency(library, kernel);
  config.gpu.kernel_launch_cycles = cycles(config, triton ? library.launch_ps : library.library_launch_ps);
}

void settle_named_kernel(Config& config, const config::Sources& sources) {
  if (!config.workload.trace.empty())
    throw sources.error("workload.kernel", "a trace or a kernel's name, not both");
  try {
    use_kernel(config, library_kernel_name(config.workload.kernel));
  } catch (const InputError& e) {
    throw sources.error("workload.kernel", e.what());
  }
}

}  // namespace t3sim
