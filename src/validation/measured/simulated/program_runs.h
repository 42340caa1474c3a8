// Measured rows that are runs of shipped programs (programs/*.yaml).
#pragma once

#include "validation/measured/machine.h"
#include "validation/measured/rows.h"
#include "validation/measured/simulated/machine_runs.h"

namespace t3sim {

// A row's machine, to run a shipped program.
MachineRun program_run(const MeasuredMachine& machine, std::uint32_t world, const std::string& program,
                       std::map<std::string, std::uint64_t> parameters);

// Of one of several copies in a row.
double copies_seconds(const MeasuredMachine& machine, const PeerCopyRow& row, MachineRuns& runs);

}  // namespace t3sim
