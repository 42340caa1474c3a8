#include "validation/measured/simulated/gemm_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "machine/named_kernel.h"
#include "validation/measured/simulated/row_machine.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kClockStep = 20'000'000;  // Hz, in which the clock is lowered
constexpr int kMostRuns = 4;

std::uint64_t clock_hz(const Config& config, double share) {
  const double hz = share * static_cast<double>(config.gpu.clock_hz);
  return static_cast<std::uint64_t>(hz / kClockStep + 0.5) * kClockStep;
}

Config kernel_config(const MeasuredMachine& machine, const LibraryGemm& kernel, std::uint32_t gpus,
                     std::uint64_t hz) {
  Config config = row_machine(machine, gpus);
  config.gpu.clock_hz = hz;
  config.workload.m = kernel.shape.m;
  config.workload.n = kernel.shape.n;
  config.workload.k = kernel.shape.k;
  config.workload.layout = kernel.layout;
  use_kernel(config, kernel.name);
  return config;
}

// A kernel of its own adds up what split-K left.
double reduction_s(const MeasuredMachine& machine, const GemmSpec& spec) {
  if (!spec.split_workspace) return 0;
  const GemmExecutionConfig& library = machine.config.execution.gemm;
  const double bytes = output_bytes(spec.shape) * (2.0 * spec.split_k + 1);
  return static_cast<double>(library.launch_ps) * 1e-12 +
         bytes / (library.dram_share * machine.config.memory.peak_bytes_per_second());
}

std::uint64_t estimated_hz(const MeasuredMachine& machine, const LibraryGemm& kernel, double pause_s) {
  GemmSurroundings around;
  around.pause_s = pause_s;
  return clock_hz(machine.config, gemm_timing(machine, kernel, around).clock_share);
}

MachineRunResult kernel_run(const MeasuredMachine& machine, const LibraryGemm& kernel, std::uint64_t hz,
                            MachineRuns& runs) {
  MachineRun run{kernel_config(machine, kernel, 2, hz), {}, "kernel"};
  run.phase.kernel.emplace();
  MachineRunResult result = runs.get(run);
  result.seconds += reduction_s(machine, gemm_spec(run.config, 0));
  return result;
}

// The clock and the time depend on each other: runs until what a run needs is the clock that it ran at. The
// estimate only says where to begin.
template <class Run>
MachineRunResult settle(const MeasuredMachine& machine, const LibraryGemm& kernel, double pause_s,
                        Run&& run) {
  std::uint64_t hz = estimated_hz(machine, kernel, pause_s);
  MachineRunResult result;
  for (int i = 0; i < kMostRuns; ++i) {
    result = run(hz);
    const double busy = matrix_busy(machine, kernel, result.seconds + pause_s);
    const std::uint64_t needed = clock_hz(machine.config, clock_at(machine, busy, 0));
    if (std::max(needed, hz) - std::min(needed, hz) <= kClockStep) break;
    hz = needed;
  }
  return result;
}

}  // namespace

MachineRunResult settled_gemm(const MeasuredMachine& machine, const LibraryGemm& kernel, double pause_s,
                              MachineRuns& runs) {
  return settle(machine, kernel, pause_s,
                [&](std::uint64_t hz) { return kernel_run(machine, kernel, hz, runs); });
}

MachineRunResult gemm_traffic_run(const MeasuredMachine& machine, const LibraryGemm& kernel,
                                  MachineRuns& runs) {
  return kernel_run(machine, kernel, estimated_hz(machine, kernel, 0), runs);
}

double owner_stores_seconds(const MeasuredMachine& machine, const LibraryGemm& kernel, std::uint32_t gpus,
                            bool shifted, MachineRuns& runs) {
  return settle(machine, kernel, 0,
                [&](std::uint64_t hz) {
                  MachineRun run{
                      kernel_config(machine, kernel, gpus, hz), {}, fmt::format("owner stores {}", shifted)};
                  run.config.gpus.model = GpuModel::explicit_;
                  run.phase.kernel =
                      WorkloadKernel{.stores = WorkloadKernel::Stores::owner, .shifted = shifted};
                  return runs.get(run);
                })
      .seconds;
}

}  // namespace t3sim
