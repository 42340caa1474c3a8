// Measured rows by analytic models of a few mechanisms: estimates, which no run of the machine has part in.
#pragma once

#include "validation/measured/cases.h"

namespace t3sim {

// Our estimate for the case, in its unit. 0 for kinds that are only simulated.
double estimated(const MeasuredMachine& machine, const MeasuredCase& c);

}  // namespace t3sim
