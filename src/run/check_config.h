// What follows from a configuration's files, and what one key alone cannot decide.
#pragma once

#include "machine/config.h"

namespace t3sim {

// Takes over what the workload's trace says of the kernel. Throws InputError when the file cannot be read or
// a key contradicts it.
void settle_config(Config& config, const config::Sources& sources);
// Checks what one key alone cannot decide, and settles gpus.model: auto (run/gpu_model.h). Throws InputError.
void check_config(Config& config, const config::Sources& sources);

}  // namespace t3sim
