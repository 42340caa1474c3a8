#include "validation/measured/simulated/program_runs.h"

#include "validation/measured/simulated/row_machine.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kRowBytes =
    4096;  // in which a copy that is not 2D is cut; they lie behind one another

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
  const std::uint64_t width = strided ? row.width : std::min(kRowBytes, row.moved);
  const MachineRun run = program_run(machine, 2, "copies",
                                     {{"count", kCount},
                                      {"width", width},
                                      {"pitch", strided ? row.pitch : width},
                                      {"height", strided ? row.height : row.moved / width},
                                      {"pull", row.direction == "pull" ? 1U : 0U},
                                      {"both", row.ways - 1U}});
  return runs.get(run).seconds / kCount;
}

}  // namespace t3sim
