#include "validation/measured/simulated/rival_runs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/number.h"
#include "validation/measured/rival_programs.h"
#include "validation/measured/simulated/program_runs.h"

namespace t3sim {
namespace {

// Of the time, that the GEMMs of a shape run: its cases are timed in turn, and some of them are copies; between two timings both GPUs
// meet and one sleeps until its host has queued the calls. Not stated; found on the GEMMs alone of ag_gemm. Rows whose round is known, and
// longer than what hosts queue, have their round_share instead.
constexpr double kDuty = 0.8;

struct Calls {
  // The shape's cases are timed in turn, each for less than the power limit takes to act, so all run at one clock: the one of this, its
  // GEMM (validation/measure/turns.py). Else the program is called without end.
  std::optional<RowProgram> in_turn_with;
  bool zeros;
  PowerMean power_mean = PowerMean::run;
  double duty = kDuty;  // of in_turn_with
};

MachineRun run_of(const MeasuredMachine& machine, std::uint32_t world, const RowProgram& program,
                  const Calls& calls) {
  MachineRun run = program_run(machine, world, program.name, program.parameters);
  run.config.workload.kernel = program.kernel;
  if (calls.zeros) run.config.workload.data = OperandData::zeros;
  run.config.run.clock = ClockChoice::power;
  run.config.run.power_mean = calls.power_mean;
  run.config.run.sampling = SamplingChoice::automatic;
  return run;
}

MachineRun run_at(const MeasuredMachine& machine, std::uint32_t world, const RowProgram& program,
                  const Calls& calls, std::uint64_t hz) {
  MachineRun run = run_of(machine, world, program, calls);
  run.config.run.clock = ClockChoice::boost;
  run.config.gpu.clock_hz = hz;
  return run;
}

MachineRunResult result_of(const MeasuredMachine& machine, std::uint32_t world, const RowProgram& program,
                           const Calls& calls, MachineRuns& runs) {
  if (!calls.in_turn_with) return runs.get(run_of(machine, world, program, calls));
  MachineRun turn = run_of(machine, world, *calls.in_turn_with, calls);
  turn.config.run.duty = calls.duty;
  const MachineRunResult result = runs.get(turn);
  if (program == *calls.in_turn_with) return result;
  return runs.get(run_at(machine, world, program, calls, result.clock_hz));
}
double seconds_of(const MeasuredMachine& machine, std::uint32_t world, const RowProgram& program,
                  const Calls& calls, MachineRuns& runs) {
  return result_of(machine, world, program, calls, runs).seconds;
}

// Transfers of a shard that outlast the GEMMs, which they may slow by half.
std::uint64_t enough_transfers(const Config& config, const ScheduleRow& row) {
  constexpr double kSlowed = 2;
  const double gemms_s = flops(row.shape) / (real(config.gpu.cus) * real(config.gpu.matrix_flops_per_cycle) *
                                             real(config.gpu.clock_hz));
  const double shard = 2.0 * row.shape.m * row.shape.k / row.world;
  return static_cast<std::uint64_t>(
      std::ceil(kSlowed * gemms_s * real(config.topology.link.bandwidth_Bps) / shard));
}

// Memory bounds these: the clock stays up.
double boost_seconds_of(const MeasuredMachine& machine, std::uint32_t world, const RowProgram& program,
                        MachineRuns& runs) {
  MachineRun run = program_run(machine, world, program.name, program.parameters);
  run.config.run.clock = ClockChoice::boost;
  run.config.run.sampling = SamplingChoice::automatic;
  return runs.get(run).seconds;
}

}  // namespace

double overlap_seconds(const MeasuredMachine& machine, const OverlapRow& row, const LibraryGemm& kernel,
                       std::uint64_t hz, MachineRuns& runs) {
  return runs.get(run_at(machine, row.world, overlap_program(row, kernel), {{}, false}, hz)).seconds;
}

double owner_sum_seconds(const MeasuredMachine& machine, const FusedRow& row, const LibraryGemm& kernel,
                         std::uint64_t hz, MachineRuns& runs) {
  return runs.get(run_at(machine, row.world, owner_sum_program(row, kernel), {{}, false}, hz)).seconds;
}

double gather_gemm_number(const MeasuredMachine& machine, const GatherGemmRow& row, CaseKind kind,
                          MachineRuns& runs) {
  const bool has_gemm = !row.op.ends_with("all_gather");
  const Calls calls{row.calls != 0 && has_gemm ? std::optional(gemm_alone(row)) : std::nullopt, false};
  const auto seconds = [&](const RowProgram& program) {
    return seconds_of(machine, row.world, program, calls, runs);
  };
  double own = seconds(*gather_gemm_program(row));
  // Calls follow each other: a copy, the GEMM of the call before.
  if (row.op.starts_with("copy_then")) own += real(machine.config.commands.change_ps.value_or(0)) * 1e-12;
  if (kind != CaseKind::ag_gemm_efficiency) return own;
  const double gemm = seconds(gemm_alone(row)), sequential = seconds(library_then_gemm(row));
  return 100 * (1 - (own - gemm) / (sequential - gemm));
}

double decomposed_number(const MeasuredMachine& machine, const DecomposedRow& row, MachineRuns& runs) {
  DecomposedRow whole = row;
  whole.variant = "whole";
  whole.pieces = 1;
  const Calls calls{row.calls != 0 ? std::optional(decomposed_program(whole)) : std::nullopt, row.zeros,
                    PowerMean::run, row.round_share.value_or(kDuty)};
  const auto seconds = [&](const DecomposedRow& r) {
    return seconds_of(machine, 2, decomposed_program(r), calls, runs);
  };
  return seconds(row) / seconds(whole);
}

double schedule_number(const MeasuredMachine& machine, const ScheduleRow& row, MachineRuns& runs) {
  ScheduleRow serial = row;
  serial.op = "serial";
  serial.chunks = 1;
  const Calls calls{row.calls != 0 ? std::optional(whole_gemm_program(row.shape)) : std::nullopt, row.zeros,
                    PowerMean::run, row.round_share.value_or(kDuty)};
  const auto seconds = [&](const ScheduleRow& r) {
    return seconds_of(machine, r.world, *schedule_program(r), calls, runs);
  };
  return seconds(serial) / seconds(row);
}

double contention_number(const MeasuredMachine& machine, const ScheduleRow& row, MachineRuns& runs) {
  const std::uint64_t transfers = enough_transfers(machine.config, row);
  // What of the transfers outlasts the GEMMs draws little power and would raise their clock.
  const Calls calls{row.calls != 0 ? std::optional(contention_program(row, 0)) : std::nullopt, row.zeros,
                    PowerMean::gemms};
  const auto seconds = [&](std::uint64_t count) {
    return result_of(machine, row.world, contention_program(row, count), calls, runs).kernels_s;
  };
  return 100 * (seconds(transfers) / seconds(0) - 1);
}

double embedding_number(const MeasuredMachine& machine, const EmbeddingRow& row, CaseKind kind,
                        MachineRuns& runs) {
  const std::uint32_t world = std::max(2U, row.world);
  const double own = boost_seconds_of(machine, world, *embedding_program(row), runs);
  if (kind != CaseKind::embedding_saving) return own;
  return 100 * (1 - own / boost_seconds_of(machine, world, embedding_baseline(row), runs));
}

double gemv_number(const MeasuredMachine& machine, const GemvRow& row, CaseKind kind, MachineRuns& runs) {
  const auto seconds = [&](const RowProgram& program) {
    return boost_seconds_of(machine, row.world, program, runs);
  };
  if (kind != CaseKind::gemv_saving) return seconds(*gemv_program(row));
  double best = std::numeric_limits<double>::infinity();
  for (const GemvChoice& choice : row.choices) {
    GemvRow one = row;
    one.choice = choice;
    best = std::min(best, seconds(*gemv_program(one)));
  }
  return 100 * (1 - best / seconds(gemv_baseline(row)));
}

}  // namespace t3sim
