#include "model/program_parts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/number.h"
#include "run/program_report.h"
#include "runtime/alone.h"
#include "runtime/collective_settings.h"

namespace t3sim::model {
namespace {

using program::Launch;
using Spans = std::vector<std::pair<Tick, Tick>>;

// Of the time in `spans`, what is in none of `busy`.
Tick length_without(Spans spans, Spans busy) {
  std::ranges::sort(spans);
  std::ranges::sort(busy);
  Tick length = 0, end = 0;  // until `end` all has been counted
  for (const auto& [from, to] : spans) {
    Tick at = std::max(from, end);
    for (const auto& [busy_from, busy_to] : busy) {
      if (busy_to <= at) continue;
      if (busy_from >= to) break;
      if (busy_from > at) length += busy_from - at;
      at = std::max(at, busy_to);
    }
    if (at < to) length += to - at;
    end = std::max(end, to);
  }
  return length;
}

Tick at_barriers(const program::GpuCommands& gpu, const std::vector<CommandTimes>& times) {
  Spans barriers, busy;
  for (std::size_t c = 0; c < times.size(); ++c) {
    const program::Action& action = gpu.commands[c].action;
    if (std::holds_alternative<program::Barrier>(action))
      barriers.emplace_back(times[c].begun, times[c].done);
    if (std::holds_alternative<Launch>(action) || communicates(action))
      busy.emplace_back(times[c].begun, times[c].done);
  }
  return length_without(std::move(barriers), std::move(busy));
}

double duration_us(const TimeBase& time, const CommandTimes& t) {
  return time.to_us(t.done) - time.to_us(t.begun);
}

const Launch* launch_of(const program::GpuCommands& gpu, std::uint32_t number) {
  return number == PartOfProgram::kNew ? nullptr : std::get_if<Launch>(&gpu.commands[number].action);
}

CuShare times(std::uint32_t workgroups, const CuShare& one) {
  return {workgroups * one.threads, workgroups * one.register_bytes, workgroups * one.lds_bytes};
}

// CUs that collectives hold beside a launch, and for how much of its time.
struct Held {
  std::uint32_t cus = 0;
  double share_of_time = 0;
};

// A CU where a workgroup of the launch fits in beside the collective's is not held.
Held held_beside(const Config& config, const program::GpuCommands& gpu,
                 const std::vector<CommandTimes>& times_of, std::uint32_t launch) {
  const CuShare whole{config.gpu.threads_per_cu, config.gpu.registers_bytes, config.gpu.lds_bytes};
  const CommandTimes& own = times_of[launch];
  Held held;
  Spans without;
  for (std::size_t c = 0; c < times_of.size(); ++c) {
    const auto* collective = std::get_if<program::Collective>(&gpu.commands[c].action);
    const Residence& there = times_of[c].residence;
    if (!collective || there.placed == kNever) continue;
    if (own.residence.share.fits(whole, times(there.workgroups_per_cu, there.share))) continue;
    const Tick from = std::max(there.placed, own.begun), to = std::min(times_of[c].done, own.done);
    if (from >= to) continue;
    held.cus = std::max(held.cus, channels_of(config, *collective));
    without.emplace_back(from, to);
  }
  if (held.cus >= config.gpu.cus || own.done <= own.begun) return {};
  held.share_of_time = real(length_without(std::move(without), {})) / real(own.done - own.begun);
  return held;
}

// The kernels alone, and what is held against them.
class KernelsAlone {
 public:
  KernelsAlone(const ConfiguredRun& run, PartOfProgram kernels)
      : run_(run), kernels_(std::move(kernels)), config_(run.config), time_(time_base(run.config)) {
    config_.run.functional = false;
    alone_ = run_program(config_, kernels_.program);
    gpus_ = std::min(run.result.gpus.size(), alone_.gpus.size());
  }

  double us() const {
    return mean([&](std::size_t g) {
      return metrics_of(kernels_.program.gpus[g], alone_.gpus[g].times, config_).compute;
    });
  }

  double polling_us(const ProgramResult& together, const TimeBase& time) const {
    return sum_of_launches([&](std::size_t g, std::uint32_t number, std::size_t c) {
      if (launch_of(run_.program.gpus[g], number)->waits.empty()) return 0.0;
      return duration_us(time, together.gpus[g].times[number]) - duration_us(time_, alone_.gpus[g].times[c]);
    });
  }

  // A launch beside which a collective holds CUs for part of its time is so much longer in that part.
  double lost_cus_us() const {
    PartOfProgram fewer = kernels_;
    bool any = false;
    std::vector<std::vector<double>> shares(gpus_);
    for (std::size_t g = 0; g < gpus_; ++g)
      for (std::size_t c = 0; c < kernels_.numbers[g].size(); ++c) {
        auto* launch = std::get_if<Launch>(&fewer.program.gpus[g].commands[c].action);
        const Held held =
            held_beside(config_, run_.program.gpus[g], run_.result.gpus[g].times, kernels_.numbers[g][c]);
        const bool chosen = launch->cus != 0;  // by the program: it has them alone, too
        shares[g].push_back(chosen ? 0 : held.share_of_time);
        if (chosen || held.cus == 0) continue;
        any = true;
        launch->first_cu = held.cus;
        launch->cus = narrow<std::uint32_t>(config_.gpu.cus) - held.cus;
      }
    if (!any) return 0;
    const ProgramResult left = run_program(config_, fewer.program);
    return sum_of_launches([&](std::size_t g, std::uint32_t, std::size_t c) {
      return shares[g][c] *
             (duration_us(time_, left.gpus[g].times[c]) - duration_us(time_, alone_.gpus[g].times[c]));
    });
  }

  // Without what waits for words, which is another part.
  double stores_us() const {
    if (!stores_elsewhere()) return 0;
    constexpr std::uint64_t kTimesAsFast = 64;
    Config free = config_;
    free.topology.link.bandwidth_Bps *= kTimesAsFast;
    const ProgramResult result = run_program(free, run_.program);
    return beside_us(run_.result, config_) - beside_us(result, free);
  }

 private:
  template <class F>
  double mean(F&& of_gpu) const {
    double sum = 0;
    for (std::size_t g = 0; g < gpus_; ++g) sum += of_gpu(g);
    return sum / real(gpus_);
  }

  // of(GPU, number in the program, number alone), in the mean over the GPUs.
  template <class F>
  double sum_of_launches(F&& of) const {
    return mean([&](std::size_t g) {
      double sum = 0;
      for (std::size_t c = 0; c < kernels_.numbers[g].size(); ++c)
        if (launch_of(run_.program.gpus[g], kernels_.numbers[g][c])) sum += of(g, kernels_.numbers[g][c], c);
      return sum;
    });
  }

  bool stores_elsewhere() const {
    const auto stores = [](const program::Command& command) {
      const auto* launch = std::get_if<Launch>(&command.action);
      return launch && !communicates(command.action) && !launch->stores.empty();
    };
    return std::ranges::any_of(run_.program.gpus, [&](const program::GpuCommands& gpu) {
      return std::ranges::any_of(gpu.commands, stores);
    });
  }

  double beside_us(const ProgramResult& together, const Config& config) const {
    const double kernels = mean([&](std::size_t g) {
      return metrics_of(run_.program.gpus[g], together.gpus[g].times, config).compute;
    });
    return kernels - polling_us(together, time_base(config));
  }

  const ConfiguredRun& run_;
  PartOfProgram kernels_;
  Config config_;
  TimeBase time_;
  ProgramResult alone_;
  std::size_t gpus_ = 0;
};

}  // namespace

std::optional<ProgramParts> parts_of(const ConfiguredRun& run) {
  PartOfProgram kernels = kernels_alone(run.program, run.result);
  if (run.sample || kernels.empty()) return std::nullopt;
  const KernelsAlone alone(run, std::move(kernels));
  const TimeBase time = time_base(run.config);
  ProgramParts parts;
  parts.kernels_alone_us = alone.us();
  parts.polling_us = alone.polling_us(run.result, time);
  parts.lost_cus_us = alone.lost_cus_us();
  parts.stores_us = alone.stores_us();
  for (std::size_t g = 0; g < run.result.gpus.size(); ++g)
    parts.barriers_us +=
        time.to_us(at_barriers(run.program.gpus[g], run.result.gpus[g].times)) / real(run.result.gpus.size());
  return parts;
}

}  // namespace t3sim::model
