#include "validation/measured/simulated/machine_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <optional>

#include "base/number.h"
#include "base/sha256.h"
#include "machine/cluster.h"
#include "machine/gpu_stats.h"
#include "runtime/configured_run.h"
#include "sweep/files.h"
#include "sweep/plan.h"

namespace t3sim {
namespace {

// Adds up what the L2's slices have read for the CUs.
class L2Reads final : public StatsSink {
 public:
  void add(const Counter& counter, CounterValue value) override {
    if (counter.name == "read_bytes" && counter.component.starts_with("l2["))
      bytes += std::get<std::uint64_t>(value);
  }
  std::uint64_t bytes = 0;
};

MachineRunResult run_its_program(const Config& config) {
  const ConfiguredRun run = run_configured(config);
  MachineRunResult result;
  result.seconds = run.result.time_us * 1e-6;
  result.cpu_seconds = run.result.host_seconds;
  result.clock_hz = run.config.gpu.clock_hz;
  const double a_tick = run.result.ticks == 0 ? 0 : result.seconds / real(run.result.ticks);
  for (std::size_t g = 0; g < run.result.gpus.size(); ++g)
    for (std::size_t c = 0; c < run.result.gpus[g].times.size(); ++c) {
      const program::Action& action = run.program.gpus[g].commands[c].action;
      const double done = a_tick * real(run.result.gpus[g].times[c].done);
      if (std::holds_alternative<program::Launch>(action))
        result.kernels_s = std::max(result.kernels_s, done);
      else if (std::holds_alternative<program::Copy>(action) ||
               std::holds_alternative<program::Collective>(action))
        result.transfers_s = std::max(result.transfers_s, done);
    }
  return result;
}

MachineRunResult run_machine(const MachineRun& run) {
  if (!run.config.program.file.empty()) return run_its_program(run.config);
  PhaseResult done = Cluster(run.config, run.phase, time_base(run.config)).run({});
  L2Reads reads;
  visit_stats(*done.gpus.front(), reads);
  std::uint64_t dram = 0;
  for (int t = 0; t < kTraffics; ++t) dram += done.dram.read(static_cast<Traffic>(t));
  MachineRunResult result;
  result.seconds = done.time_us * 1e-6;
  result.dram_read = real(dram);
  result.l2_read = real(reads.bytes);
  result.cpu_seconds = done.host_seconds;
  result.clock_hz = run.config.gpu.clock_hz;
  return result;
}

std::string kept_text(const std::string& key, const MachineRunResult& r) {
  return fmt::format("t3sim-machine-run 3 {} {} {} {} {} {} {} {}\n", key, r.seconds, r.dram_read, r.l2_read,
                     r.kernels_s, r.transfers_s, r.clock_hz, r.cpu_seconds);
}

std::optional<MachineRunResult> from_kept(const std::string& text, const std::string& key) {
  MachineRunResult r;
  const std::string format = fmt::format("t3sim-machine-run 3 {} %lf %lf %lf %lf %lf %" SCNu64 " %lf\n", key);
  if (std::sscanf(text.c_str(), format.c_str(), &r.seconds, &r.dram_read, &r.l2_read, &r.kernels_s,
                  &r.transfers_s, &r.clock_hz, &r.cpu_seconds) != 7)
    return std::nullopt;
  return r;
}

}  // namespace

std::string MachineRun::key() const {
  Config copy = config;
  return sha256_hex(fmt::format("{}\n{}\n{}", sweep::program_id(), what, config::write(copy)));
}

MachineRuns::MachineRuns(std::string folder) : folder_(std::move(folder)) {
  if (!folder_.empty()) sweep::make_directories(folder_);
}

MachineRunResult MachineRuns::get(const MachineRun& run) {
  const std::string key = run.key();
  std::promise<MachineRunResult> mine;
  std::shared_future<MachineRunResult> theirs;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = runs_.find(key); found != runs_.end())
      theirs = found->second;
    else
      runs_[key] = mine.get_future().share();
  }
  if (theirs.valid()) return theirs.get();
  try {
    const MachineRunResult result = make(run, key);
    mine.set_value(result);
    return result;
  } catch (...) {
    mine.set_exception(std::current_exception());
    throw;
  }
}

MachineRunResult MachineRuns::make(const MachineRun& run, const std::string& key) {
  std::optional<MachineRunResult> result;
  if (!folder_.empty())
    if (const auto text = sweep::read_file(file(key))) result = from_kept(*text, key);
  const bool kept = result.has_value();
  if (!kept) result = run_machine(run);
  if (!kept && !folder_.empty()) sweep::write_whole(file(key), kept_text(key, *result));
  const std::lock_guard lock(mutex_);
  ++(kept ? cost_.kept : cost_.simulated);
  cost_.cpu_seconds += result->cpu_seconds;
  return *result;
}

MachineRuns::Cost MachineRuns::cost() const {
  const std::lock_guard lock(mutex_);
  return cost_;
}

}  // namespace t3sim
