// Whether the arrays of a program fit into the memory of a GPU.
#pragma once

#include "machine/config.h"
#include "program/program.h"

namespace t3sim {

// Throws InputError for the first GPU whose arrays and signals need more than it has (gpus.memory; not said: not checked).
void check_memory(const Config& config, const program::Program& program);

}  // namespace t3sim
