#include "runtime/configured_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "machine/power.h"
#include "runtime/load_program.h"
#include "runtime/mirrored.h"
#include "runtime/phases.h"

namespace t3sim {
namespace {

constexpr int kMostRuns = 4;

template <class Add>
void each_gemm(const program::GpuCommands& gpu, Add&& add) {
  for (const program::Command& command : gpu.commands)
    if (const auto* launch = std::get_if<program::Launch>(&command.action))
      if (const auto* gemm = std::get_if<program::GemmBody>(&launch->body)) add(gemm->spec);
}

double flops_of(const GemmShape& shape) { return 2.0 * shape.m * shape.n * shape.k; }

double gemm_flops(const program::GpuCommands& gpu) {
  double flops = 0;
  each_gemm(gpu, [&](const GemmSpec& spec) { flops += flops_of(spec.shape); });
  return flops;
}

// Whole waves of its tiles at the rate that the machine's matrix units reach.
double gemm_seconds(const Config& config, const program::GpuCommands& gpu) {
  const GpuConfig& machine = config.gpu;
  double seconds = 0;
  each_gemm(gpu, [&](const GemmSpec& spec) {
    const double tiles =
        real(ceil_div(spec.shape.m, spec.tile.m)) * ceil_div(spec.shape.n, spec.tile.n) * spec.split_k;
    const double used = tiles / (std::ceil(tiles / real(machine.cus)) * real(machine.cus));
    seconds +=
        matrix_use(machine, machine.clock_hz, flops_of(spec.shape), machine.matrix_issue_efficiency * used);
  });
  return seconds;
}

// Until when power counts.
double counted_seconds(const Config& config, const program::Program& program, const ProgramResult& result) {
  const double seconds = result.time_us * 1e-6;
  if (config.run.power_mean == PowerMean::run) return seconds;
  Tick last = 0;
  for (std::size_t g = 0; g < result.gpus.size(); ++g)
    for (std::size_t c = 0; c < result.gpus[g].times.size(); ++c)
      if (const auto* launch = std::get_if<program::Launch>(&program.gpus[g].commands[c].action);
          launch && std::holds_alternative<program::GemmBody>(launch->body))
        last = std::max(last, result.gpus[g].times[c].done);
  return last == 0 ? seconds : seconds * real(last) / real(result.ticks);
}

// The lowest clock, as a share of boost, that a GPU needs if its GEMMs take `seconds`; of links the mean of the run counts.
double needed_share(const Config& boost, const program::Program& program, const ProgramResult& result,
                    double seconds) {
  double share = 1;
  const double duty = boost.run.duty.value_or(1);
  for (std::size_t g = 0; g < program.gpus.size(); ++g) {
    const PowerUse use{
        duty * matrix_use(boost.gpu, boost.gpu.clock_hz, gemm_flops(program.gpus[g]), seconds),
        result.gpus.empty()
            ? 0
            : duty * link_use(boost.topology.link, real(result.gpus[g].link_bytes), result.time_us * 1e-6),
        boost.workload.data == OperandData::zeros};
    share = std::min(share, clock_share(boost.execution.power, use));
  }
  return share;
}

bool ends_within_window(const Config& config, const ProgramResult& result) {
  return ends_before_limit(config.execution.power, real(config.run.calls) * result.time_us * 1e-6);
}

// Where to begin: all GEMMs one after the other.
double first_share(const Config& boost, const program::Program& program) {
  double longest = 0;
  for (const program::GpuCommands& gpu : program.gpus) longest = std::max(longest, gemm_seconds(boost, gpu));
  return longest == 0 ? 1 : std::cbrt(std::pow(needed_share(boost, program, {}, longest), 2));
}

// gpus.model: auto: mirror where it can be. Says what was chosen and why.
std::string settle_gpu_model(Config& config, const program::Program& program) {
  if (config.gpus.choice != GpuModel::automatic || program.gpu_count < 2) return {};
  const std::string why = why_no_mirror(config, program);
  config.gpus.choice = config.gpus.model = why.empty() ? GpuModel::mirror : GpuModel::explicit_;
  return why.empty() ? fmt::format("one GPU stands for all {}", program.gpu_count)
                     : fmt::format("all {} GPUs are simulated, as {}", program.gpu_count, why);
}

ConfiguredRun run_at(const Config& config, std::uint64_t hz, const std::function<void(double)>& progress,
                     unsigned threads, double short_run) {
  ConfiguredRun run;
  run.config = config;
  run.config.gpu.clock_hz = hz;
  run.program = load_program(run.config);
  run.gpu_model = settle_gpu_model(run.config, run.program);
  SampledRun sampled = config.run.sampling == SamplingChoice::phases
                           ? run_phases(run.config, run.program, progress)
                           : run_sampled(run.config, run.program, progress, threads, short_run);
  run.result = std::move(sampled.result);
  run.sample = std::move(sampled.sample);
  run.runs = sampled.runs;
  return run;
}

}  // namespace

ConfiguredRun run_configured(const Config& boost, const std::function<void(double)>& progress,
                             unsigned threads, double short_run) {
  const std::uint64_t boost_hz = boost.gpu.clock_hz;
  ConfiguredRun run;
  if (boost.run.clock == ClockChoice::boost || boost.run.calls != 0) {
    run = run_at(boost, boost_hz, progress, threads, short_run);
    if (boost.run.clock == ClockChoice::boost || ends_within_window(boost, run.result)) return run;
  }
  std::uint64_t hz = stepped_clock(boost_hz, first_share(boost, load_program(boost)));
  for (int i = 0; i < kMostRuns; ++i) {
    const unsigned before = run.runs;
    run = run_at(boost, hz, progress, threads, short_run);
    run.runs += before;
    const double seconds = counted_seconds(boost, run.program, run.result);
    const double ran_at = real(hz) / real(boost_hz);
    const double needed = needed_share(boost, run.program, run.result, seconds);
    const std::uint64_t needed_hz = stepped_clock(boost_hz, needed);
    if (std::max(needed_hz, hz) - std::min(needed_hz, hz) <= kClockStep) break;
    // The time goes with the clock, more or less: its share s needs s^2 ~ seconds(s) ~ 1 / s.
    hz = stepped_clock(boost_hz, needed >= 1 ? 1 : std::min(1.0, std::cbrt(needed * needed * ran_at)));
  }
  return run;
}

}  // namespace t3sim
