#include "runtime/overlap.h"

#include <fmt/format.h>

#include "base/number.h"
#include "runtime/alone.h"

namespace t3sim {

using program::Launch;
using program::Program;

namespace {

bool waits(const Program& program, std::size_t gpu, std::uint32_t command) {
  const auto* launch = std::get_if<Launch>(&program.gpus[gpu].commands[command].action);
  return launch && !launch->waits.empty();
}

// The sum of the commands' own times in the whole program, over that of the part alone.
std::optional<double> contention(const Program& program, const ProgramResult& together,
                                 const PartOfProgram& part, const ProgramResult& alone) {
  double with = 0, without = 0;
  for (std::size_t g = 0; g < part.numbers.size(); ++g)
    for (std::size_t c = 0; c < part.numbers[g].size(); ++c) {
      const std::uint32_t number = part.numbers[g][c];
      if (number == PartOfProgram::kNew || waits(program, g, number)) continue;
      const CommandTimes &a = together.gpus[g].times[number], &b = alone.gpus[g].times[c];
      with += real(a.done - a.begun);
      without += real(b.done - b.begun);
    }
  return without > 0 ? std::optional(with / without) : std::nullopt;
}

std::optional<double> quotient(double pieces, const std::optional<double>& whole) {
  return whole && *whole > 0 ? std::optional(pieces / *whole) : std::nullopt;
}

bool has_copies(const Program& program) {
  for (const program::GpuCommands& gpu : program.gpus)
    for (const program::Command& command : gpu.commands)
      if (std::holds_alternative<program::Copy>(command.action)) return true;
  return false;
}

}  // namespace

std::optional<double> Overlap::efficiency() const {
  const double hidden = sequential_us() - compute_us();
  return hidden > 0 ? std::optional(1 - (time_us - compute_us()) / hidden) : std::nullopt;
}
std::optional<double> Overlap::gemm_decomposition() const { return quotient(gemms_us, whole_gemm_us); }
std::optional<double> Overlap::copy_decomposition() const {
  return quotient(communication_us, whole_copies_us);
}

Overlap overlap_of(const Config& whole, const Program& program, const ProgramResult& result,
                   unsigned threads) {
  Config config = whole;
  config.run.functional = false;
  const auto run = [&](const Program& part) { return run_program(config, part, {}, threads); };
  Overlap overlap;
  overlap.time_us = result.time_us;
  if (const PartOfProgram kernels = kernels_alone(program, result); !kernels.empty()) {
    const ProgramResult alone = run(kernels.program);
    overlap.kernels_us = alone.time_us;
    overlap.kernel_contention = contention(program, result, kernels, alone);
  }
  if (const auto gemm = whole_gemm(config, program)) {
    overlap.gemms_us = run(kernels_alone(program, result, true).program).time_us;
    overlap.whole_gemm_us = run(*gemm).time_us;
    overlap.whole_gemm =
        fmt::format("{} x {} x {}", gemm->arrays[0].rows, gemm->arrays[1].columns, gemm->arrays[0].columns);
  }
  const PartOfProgram communication = communication_alone(program);
  if (communication.empty()) return overlap;
  const ProgramResult alone = run(communication.program);
  overlap.communication_us = alone.time_us;
  overlap.communication_contention = contention(program, result, communication, alone);
  if (has_copies(communication.program))
    overlap.whole_copies_us = run(whole_copies(communication.program)).time_us;
  return overlap;
}

}  // namespace t3sim
