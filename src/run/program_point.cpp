#include "run/program_point.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/number.h"
#include "run/program_report.h"
#include "runtime/load_program.h"

namespace t3sim {
namespace {

// A counter of each GPU, in the mean.
template <class Of>
std::uint64_t mean_of(const ProgramResult& result, Of&& of) {
  std::uint64_t sum = 0;
  for (const ProgramResult::OneGpu& gpu : result.gpus) sum += of(gpu);
  return sum / result.gpus.size();
}

SchemeResult result_of(const ConfiguredRun& run) {
  const ProgramResult& result = run.result;
  SchemeResult scheme;
  scheme.name = std::filesystem::path(run.config.program.file).stem().string();
  scheme.time_us = result.time_us;
  scheme.speedup = 1;
  ProgramMetrics sum;
  for (std::size_t g = 0; g < result.gpus.size(); ++g) {
    const ProgramMetrics m = metrics_of(run.program.gpus[g], result.gpus[g].times, run.config);
    sum.compute += m.compute;
    sum.communication += m.communication;
    sum.exposed += m.exposed;
    sum.idle += m.idle;
  }
  const double gpus = real(result.gpus.size());
  if (times_known(run))
    scheme.phases = {{"kernels_us", sum.compute / gpus},
                     {"communication_us", sum.communication / gpus},
                     {"exposed_communication_us", sum.exposed / gpus},
                     {"idle_us", sum.idle / gpus}};
  for (int t = 0; t < kTraffics; ++t) {
    const auto traffic = static_cast<Traffic>(t);
    const std::string name(to_string(traffic));
    scheme.dram_bytes.emplace_back(name + "_read",
                                   mean_of(result, [&](const auto& gpu) { return gpu.dram.read(traffic); }));
    scheme.dram_bytes.emplace_back(
        name + "_write", mean_of(result, [&](const auto& gpu) { return gpu.dram.written(traffic); }));
  }
  scheme.link_bytes = mean_of(result, [](const auto& gpu) { return gpu.link_bytes; });
  scheme.host_seconds = result.host_seconds;
  scheme.events = result.events;
  return scheme;
}

}  // namespace

RunReport run_program_point(const Config& config) { return program_report(run_configured(config)); }

RunReport program_report(const ConfiguredRun& run) {
  RunReport report;
  report.workload.name = run.program.name;
  report.workload.gpus = run.config.gpus.count;
  report.schemes.push_back(result_of(run));
  report.host_seconds = run.result.host_seconds;
  report.events = run.result.events;
  return report;
}

void check_program(const Config& config) { load_program(config); }

double program_work(const Config& config) { return simulated_bytes(load_program(config)); }

}  // namespace t3sim
