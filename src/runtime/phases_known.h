// Which programs can be put together from phases (runtime/phases.h), and which machines.
#pragma once

#include "machine/config.h"
#include "program/program.h"

namespace t3sim {

// Both throw InputError that names what is not known. Of the machine, and of the program as a whole:
void check_known_to_phases(const Config& config, const program::Program& program);
void check_known_to_phases(const program::Command& command);

}  // namespace t3sim
