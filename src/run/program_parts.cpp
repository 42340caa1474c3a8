#include "run/program_parts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/number.h"
#include "run/program_report.h"
#include "run/spans.h"
#include "runtime/alone.h"
#include "runtime/collective_settings.h"

namespace t3sim {
namespace {

using program::Launch;

// Of the time in `spans`, what is in none of `busy`.
Tick length_without(Spans spans, Spans busy) {
  spans.settle();
  busy.settle();
  return spans.length() - spans.length_with(busy);
}

Tick at_barriers(const program::GpuCommands& gpu, const std::vector<CommandTimes>& times) {
  Spans barriers, busy;
  for (std::size_t c = 0; c < times.size(); ++c) {
    const program::Action& action = gpu.commands[c].action;
    if (std::holds_alternative<program::Barrier>(action)) barriers.add(times[c].begun, times[c].done);
    if (std::holds_alternative<Launch>(action) || communicates(action))
      busy.add(times[c].begun, times[c].done);
  }
  return length_without(std::move(barriers), std::move(busy));
}

double duration_us(const TimeBase& time, const CommandTimes& t) {
  return time.to_us(t.done) - time.to_us(t.begun);
}

bool polls(const program::Command& command) {
  return computes(command.action) && !std::get<Launch>(command.action).waits.empty();
}

bool stores_elsewhere(const program::Command& command) {
  const auto* launch = std::get_if<Launch>(&command.action);
  return launch && (!launch->stores.empty() || communicates(command.action));
}

CuShare times(std::uint32_t workgroups, const CuShare& one) {
  return {workgroups * one.threads, workgroups * one.register_bytes, workgroups * one.lds_bytes};
}

// CUs that collectives hold beside a launch, and for how much of its time.
struct Held {
  std::uint32_t cus = 0;
  double share_of_time = 0;
};

// When collectives have places where none of the launch's workgroups fits in, and on how many CUs.
struct Holding {
  Tick from, to;
  std::uint32_t cus;
};
std::vector<Holding> holding_beside(const Config& config, const program::GpuCommands& gpu,
                                    const std::vector<CommandTimes>& of, std::uint32_t launch) {
  const CuShare whole{config.gpu.threads_per_cu, config.gpu.registers_bytes, config.gpu.lds_bytes};
  const Tick begun = std::max(of[launch].begun, of[launch].residence.placed), done = of[launch].done;
  std::vector<Holding> holding;
  for (std::size_t c = 0; c < of.size(); ++c) {
    const auto* collective = std::get_if<program::Collective>(&gpu.commands[c].action);
    const Residence& there = of[c].residence;
    if (!collective || there.placed == kNever) continue;
    if (of[launch].residence.share.fits(whole, times(there.workgroups_per_cu, there.share))) continue;
    const Tick from = std::max(there.placed, begun), to = std::min(of[c].done, done);
    if (from < to) holding.push_back({from, to, channels_of(config, *collective)});
  }
  return holding;
}

Held held_beside(const Config& config, const program::GpuCommands& gpu, const std::vector<CommandTimes>& of,
                 std::uint32_t launch) {
  const std::vector<Holding> holding = holding_beside(config, gpu, of, launch);
  Held held;
  Spans spans;
  for (const Holding& h : holding) {
    std::uint32_t together = 0;  // when this one begins
    for (const Holding& other : holding)
      if (other.from <= h.from && h.from < other.to) together += other.cus;
    held.cus = std::max(held.cus, together);
    spans.add(h.from, h.to);
  }
  if (held.cus == 0 || held.cus >= config.gpu.cus) return {};
  const Tick length = of[launch].done - of[launch].begun;
  spans.settle();
  held.share_of_time = real(spans.length()) / real(length);
  return held;
}

// A run of the program, by what bounds it.
struct Together {
  double kernels_us = 0, polling_us = 0, barriers_us = 0;
};

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

  Together as_it_is() const { return together(run_.result, config_); }

  // As it is, if no kernel stores into another GPU.
  Together with_free_links() const {
    if (!any_command(stores_elsewhere)) return as_it_is();
    constexpr std::uint64_t kTimesAsFast = 64;
    Config free = config_;
    free.topology.link.bandwidth_Bps *= kTimesAsFast;
    return together(run_program(free, run_.program), free);
  }

  // A launch beside which a collective holds CUs for part of its time is so much longer in that part. Those that poll are left
  // out, as all that they take longer is polling, and those whose CUs the program chooses, as they have these alone, too.
  double lost_cus_us() const {
    PartOfProgram fewer = kernels_;
    bool any = false;
    std::vector<std::vector<double>> shares(gpus_);
    for (std::size_t g = 0; g < gpus_; ++g)
      for (std::size_t c = 0; c < kernels_.numbers[g].size(); ++c) {
        const std::uint32_t number = kernels_.numbers[g][c];
        auto& launch = std::get<Launch>(fewer.program.gpus[g].commands[c].action);
        const bool counts = launch.cus == 0 && !polls(run_.program.gpus[g].commands[number]);
        const Held held =
            counts ? held_beside(config_, run_.program.gpus[g], run_.result.gpus[g].times, number) : Held{};
        shares[g].push_back(held.share_of_time);
        if (held.cus == 0) continue;
        any = true;
        launch.first_cu = held.cus;
        launch.cus = narrow<std::uint32_t>(config_.gpu.cus) - held.cus;
      }
    if (!any) return 0;
    const ProgramResult left = run_program(config_, fewer.program);
    return mean([&](std::size_t g) {
      double sum = 0;
      for (std::size_t c = 0; c < shares[g].size(); ++c)
        sum += shares[g][c] *
               (duration_us(time_, left.gpus[g].times[c]) - duration_us(time_, alone_.gpus[g].times[c]));
      return sum;
    });
  }

 private:
  template <class F>
  double mean(F&& of_gpu) const {
    double sum = 0;
    for (std::size_t g = 0; g < gpus_; ++g) sum += of_gpu(g);
    return sum / real(gpus_);
  }

  template <class F>
  bool any_command(F&& is) const {
    return std::ranges::any_of(run_.program.gpus, [&](const program::GpuCommands& gpu) {
      return std::ranges::any_of(gpu.commands, is);
    });
  }

  Together together(const ProgramResult& result, const Config& config) const {
    const TimeBase time = time_base(config);
    Together all;
    all.kernels_us = mean([&](std::size_t g) {
      return metrics_of(run_.program.gpus[g], result.gpus[g].times, config).compute;
    });
    all.polling_us = mean([&](std::size_t g) { return polling_us(g, result.gpus[g].times, time); });
    all.barriers_us = mean(
        [&](std::size_t g) { return time.to_us(at_barriers(run_.program.gpus[g], result.gpus[g].times)); });
    return all;
  }

  double polling_us(std::size_t g, const std::vector<CommandTimes>& of, const TimeBase& time) const {
    const program::GpuCommands& gpu = run_.program.gpus[g];
    Spans polling, others;
    for (std::size_t c = 0; c < of.size(); ++c)
      if (computes(gpu.commands[c].action))
        (polls(gpu.commands[c]) ? polling : others).add(of[c].begun, of[c].done);
    double alone = 0;
    for (std::size_t c = 0; c < kernels_.numbers[g].size(); ++c)
      if (polls(gpu.commands[kernels_.numbers[g][c]])) alone += duration_us(time_, alone_.gpus[g].times[c]);
    return std::max(0.0, time.to_us(length_without(std::move(polling), std::move(others))) - alone);
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
  const Together as_it_is = alone.as_it_is(), free = alone.with_free_links();
  ProgramParts parts;
  parts.kernels_alone_us = alone.us();
  parts.polling_us = free.polling_us;
  parts.lost_cus_us = alone.lost_cus_us();
  parts.barriers_us = free.barriers_us;
  parts.kernels_at_links_us = as_it_is.kernels_us - free.kernels_us;
  parts.barriers_at_links_us = as_it_is.barriers_us - free.barriers_us;
  return parts;
}

}  // namespace t3sim
