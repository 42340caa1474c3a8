// GEMMs beside transfers as runs of a program.
#pragma once

#include "validation/measured/cases.h"
#include "validation/measured/simulated/machine_runs.h"

namespace t3sim {

// By how much the case's stream is slowed by the other one, in percent. Both queues are filled as long alone, by the row's own
// times as when it was measured, with two calls at least; a stream's time is its mean until its own last call ends.
double interference_number(const MeasuredMachine& machine, const MeasuredCase& c, const InterferenceRow& row,
                           MachineRuns& runs);

}  // namespace t3sim
