// Measured rows that are runs of shipped programs (programs/*.yaml).
#pragma once

#include "validation/measured/machine.h"
#include "validation/measured/rows.h"
#include "validation/measured/simulated/machine_runs.h"

namespace t3sim {

// Of one of several copies in a row.
double copies_seconds(const MeasuredMachine& machine, const PeerCopyRow& row, MachineRuns& runs);

}  // namespace t3sim
