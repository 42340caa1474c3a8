#include "model/program_parts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/number.h"
#include "run/program_report.h"
#include "runtime/alone.h"

namespace t3sim::model {
namespace {

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
    if (std::holds_alternative<program::Launch>(action) || communicates(action))
      busy.emplace_back(times[c].begun, times[c].done);
  }
  return length_without(std::move(barriers), std::move(busy));
}

double duration_us(const TimeBase& time, const CommandTimes& t) {
  return time.to_us(t.done) - time.to_us(t.begun);
}

}  // namespace

std::optional<ProgramParts> parts_of(const ConfiguredRun& run) {
  const PartOfProgram kernels = kernels_alone(run.program, run.result);
  if (run.sample || kernels.empty()) return std::nullopt;
  Config config = run.config;
  config.run.functional = false;
  const ProgramResult alone = run_program(config, kernels.program);
  const TimeBase time = time_base(config);
  const std::size_t gpus = std::min(run.result.gpus.size(), alone.gpus.size());
  ProgramParts parts;
  for (std::size_t g = 0; g < gpus; ++g) {
    const std::vector<CommandTimes>& together = run.result.gpus[g].times;
    parts.kernels_alone_us += metrics_of(kernels.program.gpus[g], alone.gpus[g].times, config).compute;
    parts.barriers_us += time.to_us(at_barriers(run.program.gpus[g], together));
    for (std::size_t c = 0; c < kernels.numbers[g].size(); ++c) {
      const std::uint32_t number = kernels.numbers[g][c];
      if (number == PartOfProgram::kNew) continue;
      const auto* launch = std::get_if<program::Launch>(&run.program.gpus[g].commands[number].action);
      if (launch && !launch->waits.empty())
        parts.polling_us += duration_us(time, together[number]) - duration_us(time, alone.gpus[g].times[c]);
    }
  }
  for (double ProgramParts::*part :
       {&ProgramParts::kernels_alone_us, &ProgramParts::polling_us, &ProgramParts::barriers_us})
    parts.*part /= real(gpus);
  return parts;
}

}  // namespace t3sim::model
