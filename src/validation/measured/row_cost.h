// What it takes to simulate a row, by estimate: for choosing which rows a part of them has.
#pragma once

#include "validation/measured/cases.h"

namespace t3sim {

// CPU seconds of all runs that the row of a case needs, were none of them kept. The time of a line is one GEMM's on a core
// of a server of 2022; other rows took up to 1.7 times as long there, beside other work. 0 for GEMMs of programs.
double row_cost_s(const MeasuredMachine& machine, const MeasuredCase& c);

}  // namespace t3sim
