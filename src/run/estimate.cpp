#include "run/estimate.h"

#include <algorithm>
#include <vector>

#include "base/number.h"
#include "run/scheme_table.h"
#include "sim/line.h"

namespace t3sim {
namespace {

// Events of a phase for each line of input and of output.
struct EventsPerLine {
  double input = 0, output = 0;
};

// Measured on 1024x1024x256 and 2048x2048x512 on 8 GPUs of configs/paper, counting each phase by itself.
EventsPerLine events_per_line(const Phase& phase) {
  if (phase.kernel) return {3.6, phase.tracked ? 26.0 : 10.0};
  if (phase.tracked) return {0, 13};
  return {0, phase.collective == Traffic::rs ? 30.0 : 15.0};
}

// Of one core of 2025. An event takes longer where a GPU's state is not in the core's caches: 0.11 us on configs/paper, 0.27
// to 0.31 us on h100, h200 and b200.
constexpr double kSecondsPerEvent = 0.11e-6, kSecondsPerEventBeyondCaches = 0.3e-6;
constexpr double kCaches = 32e6;
// What a GPU takes is most of all its L2: lines, and places for requests that wait for one.
constexpr double kMemoryOfProcess = 24e6, kMemoryOfLine = 40, kMemoryOfWaiter = 32;

double memory_of_gpu(const L2Config& l2) {
  return kMemoryOfLine * real(l2.size_bytes / kLineBytes) +
         kMemoryOfWaiter * real(l2.slices) * real(l2.mshrs) * real(l2.mshr_merge);
}

std::uint64_t input_lines(const Config& config) {
  const GemmSpec spec = gemm_spec(config, 0);
  const auto tiles = [](std::uint64_t size, std::uint64_t tile) { return (size + tile - 1) / tile; };
  const std::uint64_t workgroups = tiles(spec.shape.m, spec.tile.m) * tiles(spec.shape.n, spec.tile.n);
  const std::uint64_t bytes =
      workgroups * (spec.tile.m + spec.tile.n) * std::uint64_t{spec.shape.k} * spec.element_bytes();
  return bytes / kLineBytes;
}

std::uint64_t output_lines(const Config& config) {
  const GemmSpec spec = gemm_spec(config, 0);
  return std::uint64_t{spec.shape.m} * spec.shape.n * spec.element_bytes() / kLineBytes;
}

// Of all schemes; those that they share once, unless what ran before matters.
std::vector<SchemePhase> phases_of(const Config& config) {
  const SchemeTable table(config);
  std::vector<std::string> names = config.schemes;
  if (runs_collective(config) && std::ranges::count(names, shipped::sequential) == 0)
    names.push_back(shipped::sequential);
  std::vector<SchemePhase> phases;
  for (const std::string& name : names)
    for (const SchemePhase& phase : table.scheme(name).phases) {
      const bool known =
          std::ranges::any_of(phases, [&](const SchemePhase& p) { return p.phase == phase.phase; });
      if (!known || config.l2.kernel_boundary == KernelBoundary::keep) phases.push_back(phase);
    }
  return phases;
}

}  // namespace

double estimated_events(const Config& config, const Phase& phase) {
  if (!config.workload.has_gemm) return 0;
  const EventsPerLine per_line = events_per_line(phase);
  return per_line.input * real(input_lines(config)) + per_line.output * real(output_lines(config));
}

RunEstimate estimate(const Config& config) {
  RunEstimate e;
  const double gpus = config.gpus.model == GpuModel::explicit_ ? config.gpus.count : 1;
  e.memory_bytes = static_cast<std::uint64_t>(kMemoryOfProcess + gpus * memory_of_gpu(config.l2));
  if (!config.workload.has_gemm) return e;
  e.input_lines = input_lines(config);
  e.output_lines = output_lines(config);
  double events = 0;
  for (const SchemePhase& phase : phases_of(config)) events += estimated_events(config, phase.phase);
  e.events = static_cast<std::uint64_t>(events * gpus);
  const bool in_caches = memory_of_gpu(config.l2) < kCaches;
  e.seconds = real(e.events) * (in_caches ? kSecondsPerEvent : kSecondsPerEventBeyondCaches);
  return e;
}

}  // namespace t3sim
