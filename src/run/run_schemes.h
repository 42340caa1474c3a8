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

// Runs every scheme of the configuration. Phases that schemes have in common are simulated once. The sequential
// scheme is always simulated, as the others' speed-up is against it, unless the options say
// no. Throws InputError, CheckError, NoProgressError (base/error.h).
RunReport run_schemes(const Config& config, const RunOptions& options, Progress& progress);

// The plan of the fused run, and with explicit GPUs the ways that it takes: what --explain prints.
std::string explain_run(const Config& config);

// The same for one configuration of many, a program's too (run/program_point.h): shows no progress, and throws CheckError when sums of functional mode
// are wrong.
RunReport run_point(const Config& config, const RunOptions& options = {});

}  // namespace t3sim
