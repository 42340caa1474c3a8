// Schemes: how a sub-layer is run, as small descriptions over shared phases (DESIGN: schemes).
#pragma once

#include "machine/cluster.h"
#include "machine/config.h"
#include "results/progress.h"
#include "results/results.h"
#include "run/run_options.h"

namespace t3sim {

// Runs the workload's kernel alone.
PhaseResult run_kernel(const Config& config);

// Runs every scheme of the configuration. Phases that schemes have in common are simulated once. The
// sequential scheme is always simulated, as the others' speed-up is against it, unless the options say no. Throws InputError,
// CheckError, NoProgressError (sim/error.h).
RunReport run_schemes(const Config& config, const RunOptions& options, Progress& progress);

}  // namespace t3sim
