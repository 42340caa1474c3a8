// Measured rows by the machine that `t3sim run` simulates.
#pragma once

#include "validation/measured/cases.h"
#include "validation/measured/simulated/machine_runs.h"

namespace t3sim {

// Our number for the case, in its unit.
double simulated(const MeasuredMachine& machine, const MeasuredCase& c, MachineRuns& runs);

}  // namespace t3sim
