// Is there such a collective, for these GPUs, on this topology?
#pragma once

#include "machine/config.h"

namespace t3sim {

// Makes the plans of all schemes and checks them against topology, output and model. Throws InputError.
void check_collective(const Config& config, const config::Sources& sources);

}  // namespace t3sim
