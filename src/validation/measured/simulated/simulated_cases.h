// Measured rows by the machine that `t3sim run` simulates.
#pragma once

#include "validation/measured/cases.h"
#include "validation/measured/simulated/machine_runs.h"

namespace t3sim {

// Can the machine run what the row measures? Else why not.
std::optional<std::string> not_simulated(const MeasuredCase& c);

// Our number for the case, in its unit. Only where not_simulated() is none.
double simulated(const MeasuredMachine& machine, const MeasuredCase& c, MachineRuns& runs);

}  // namespace t3sim
