// A program as one configuration of many.
#pragma once

#include "machine/config.h"
#include "results/results.h"
#include "runtime/configured_run.h"

namespace t3sim {

// Time, and means over GPUs: kernels_us, communication_us, exposed_communication_us, idle_us, bytes. Its scheme is the program's
// name. Throws what run_configured() does.
RunReport run_program_point(const Config& config);
// The same of a run that has been made.
RunReport program_report(const ConfiguredRun& run);
// What a run would refuse. Throws InputError.
void check_program(const Config& config);
// What it costs, against other programs (runtime/sampling.h: simulated_bytes).
double program_work(const Config& config);

}  // namespace t3sim
