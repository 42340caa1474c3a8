#include "sim/error.h"
#include "system/sweep/run_sweep.h"
namespace t3sim::sweep {
bool run_on_slurm(SweepRun&) { throw InputError("--slurm: not here yet"); }
}  // namespace t3sim::sweep
