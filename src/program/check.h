// What a program must be to come to an end.
#pragma once

#include "program/program.h"

namespace t3sim::program {

// Barriers and collectives are as many, and of the same kinds, on all GPUs; every word can become what is waited for;
// no commands wait for each other in a ring. Not looked at: whether kernels that wait leave others a place, and whether
// collectives come in the same order everywhere; a run finds that. Throws InputError.
void check(const Program& program);

}  // namespace t3sim::program
