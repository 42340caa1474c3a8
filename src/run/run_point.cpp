// A kernel alone, and one configuration of many.
#include "base/error.h"
#include "machine/cluster.h"
#include "results/terminal.h"
#include "run/run_schemes.h"

namespace t3sim {

PhaseResult run_kernel(const Config& config) {
  Phase phase;
  phase.kernel.emplace();
  return Cluster(config, phase, time_base(config)).run({});
}

RunReport run_point(const Config& config, const RunOptions& options) {
  Progress silent(Progress::Mode::silent);
  RunReport report = run_schemes(config, options, silent);
  if (const std::string failure = failure_of(report); !failure.empty()) throw CheckError(failure);
  return report;
}

}  // namespace t3sim
