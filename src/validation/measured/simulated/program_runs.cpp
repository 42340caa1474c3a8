#include "validation/measured/simulated/program_runs.h"

#include "validation/measured/simulated/row_machine.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kRowBytes = 4096, kElementBytes = 2;

struct Rows {
  std::uint64_t width, height;
};

// A copy that is not 2D, cut into rows that lie behind one another: alike, of whole elements, so that less than an element per row is too much.
Rows rows_of(std::uint64_t bytes) {
  const auto parts = [](std::uint64_t whole, std::uint64_t part) { return (whole + part - 1) / part; };
  const std::uint64_t height = parts(bytes, kRowBytes);
  return {parts(parts(bytes, height), kElementBytes) * kElementBytes, height};
}

}  // namespace

MachineRun program_run(const MeasuredMachine& machine, std::uint32_t world, const std::string& program,
                       std::map<std::string, std::uint64_t> parameters) {
  MachineRun run{row_machine(machine, world), {}, "program"};
  run.config.program = {program, std::move(parameters)};
  return run;
}

double copies_seconds(const MeasuredMachine& machine, const PeerCopyRow& row, MachineRuns& runs) {
  constexpr std::uint64_t kCount = 2;
  const bool strided = row.pitch != 0;
  const Rows rows = strided ? Rows{row.width, row.height} : rows_of(row.moved);
  const MachineRun run = program_run(machine, 2, "copies",
                                     {{"count", kCount},
                                      {"width", rows.width},
                                      {"pitch", strided ? row.pitch : rows.width},
                                      {"height", rows.height},
                                      {"pull", row.direction == "pull" ? 1U : 0U},
                                      {"both", row.ways - 1U}});
  return runs.get(run).seconds / kCount;
}

}  // namespace t3sim
