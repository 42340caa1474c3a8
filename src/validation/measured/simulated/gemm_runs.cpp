#include "validation/measured/simulated/gemm_runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "machine/named_kernel.h"
#include "machine/power.h"
#include "validation/measured/simulated/row_machine.h"

namespace t3sim {
namespace {

constexpr int kHalvings = 30;  // of the clocks that are possible

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

MachineRunResult kernel_run(const MeasuredMachine& machine, const LibraryGemm& kernel, std::uint64_t hz,
                            MachineRuns& runs) {
  MachineRun run{kernel_config(machine, kernel, 2, hz), {}, "kernel"};
  run.phase.kernel.emplace();
  MachineRunResult result = runs.get(run);
  result.seconds += reduction_s(machine, gemm_spec(run.config, 0));
  return result;
}

// The clock that a kernel needs, as a share of boost, if it is called over and over, each call `seconds` long.
double needed_share(const MeasuredMachine& machine, const LibraryGemm& kernel, double seconds) {
  return clock_share(machine.config.execution.power, {matrix_busy(machine, kernel, seconds), 0});
}

}  // namespace

// The clock sets the pace, and the pace the clock. Two runs enclose where they meet: one at the boost clock, and one at
// the clock that its pace needs, which is too low for the pace that it leads to. Between them the time is a line over
// 1 / clock, up to gpu.matrix_clock: what the CUs do is as long in cycles, what memory and launch take is as long in
// seconds. The second run's clock counts no pause, so that rows which differ in that alone share both runs.
MachineRunResult gemm_in_series(const MeasuredMachine& machine, const LibraryGemm& kernel,
                                const CallSeries& series, MachineRuns& runs) {
  const auto run = [&](std::uint64_t hz) { return kernel_run(machine, kernel, hz, runs); };
  const double pause_s = series.pause_s;
  const std::uint64_t boost_hz = machine.config.gpu.clock_hz;
  const MachineRunResult fast = run(boost_hz);
  if (at_boost(machine, series, fast.seconds)) return fast;
  const std::uint64_t low_hz = stepped_clock(boost_hz, needed_share(machine, kernel, fast.seconds));
  if (low_hz >= boost_hz || needed_share(machine, kernel, fast.seconds + pause_s) >= 1) return fast;
  MachineRunResult result = run(low_hz);
  const double boost = static_cast<double>(boost_hz);
  double low = static_cast<double>(low_hz) / boost, high = 1;
  // Matrix work is no faster above gpu.matrix_clock.
  const auto matrix_hz = static_cast<double>(machine.config.gpu.matrix_clock_hz);
  const double knee = matrix_hz > 0 && low * boost < matrix_hz ? std::min(1.0, matrix_hz / boost) : 1;
  const double slope = (result.seconds - fast.seconds) / (1 / low - 1 / knee);
  const auto seconds_at = [&](double share) {
    return fast.seconds + slope * std::max(0.0, 1 / share - 1 / knee);
  };
  for (int i = 0; i < kHalvings; ++i) {
    const double share = (low + high) / 2;
    (needed_share(machine, kernel, seconds_at(share) + pause_s) < share ? high : low) = share;
  }
  result.seconds = seconds_at(low);
  result.clock_hz = stepped_clock(boost_hz, low);
  return result;
}

MachineRunResult gemm_traffic_run(const MeasuredMachine& machine, const LibraryGemm& kernel,
                                  MachineRuns& runs) {
  return kernel_run(machine, kernel, machine.config.gpu.clock_hz, runs);
}

double owner_stores_seconds(const MeasuredMachine& machine, const LibraryGemm& kernel, std::uint32_t gpus,
                            bool shifted, std::uint64_t hz, MachineRuns& runs) {
  MachineRun run{kernel_config(machine, kernel, gpus, hz), {}, fmt::format("owner stores {}", shifted)};
  run.config.gpus.model = GpuModel::explicit_;
  run.phase.kernel = WorkloadKernel{.stores = WorkloadKernel::Stores::owner, .shifted = shifted};
  return runs.get(run).seconds;
}

}  // namespace t3sim
