// t3sim sweep run
#include <fmt/format.h>

#include "app/commands/sweep_commands.h"
#include "app/options.h"
#include "base/error.h"
#include "sweep/run_sweep.h"

namespace t3sim::sweep_commands {
namespace po = boost::program_options;

namespace {

// What would have no effect is refused.
void check_use(const po::variables_map& values, const sweep::SweepRunOptions& options) {
  if (options.sweep_file.empty())
    throw InputError("sweep run: no sweep file named (see t3sim sweep run --help)");
  if (options.jobs < 1 || options.jobs > 4096) throw InputError("sweep run: -j: allowed: 1 to 4096");
  if (!(options.task_seconds > 0)) throw InputError("sweep run: --task-seconds: must be above 0");
  const auto said = [&](const char* option) {
    return !values[option].empty() && !values[option].defaulted();
  };
  for (const char* option : {"sbatch", "task-seconds"})
    if (!options.slurm && said(option))
      throw InputError(fmt::format("sweep run: --{} needs --slurm", option));
  if (options.detach && !options.slurm) throw InputError("sweep run: --detach needs --slurm");
}

}  // namespace

int run(const Arguments& arguments) {
  sweep::SweepRunOptions options;
  po::options_description shown("Options"), hidden;
  shown.add_options()("output,o", po::value(&options.directory)->value_name("DIR"),
                      "where results and state are kept (default: out/NAME of the sweep)")(
      "jobs,j", po::value(&options.jobs)->default_value(1)->value_name("N"), "processes on this machine")(
      "resume", po::bool_switch(&options.resume),
      "go on with a sweep that was stopped, or help one that runs; what is done and verifies is kept")(
      "slurm", po::bool_switch(&options.slurm), "run as job arrays of a Slurm cluster that shares DIR")(
      "sbatch", po::value(&options.sbatch)->composing()->value_name("ARGUMENT"),
      "with --slurm: pass to sbatch, e.g. --sbatch=--partition=short; may be repeated")(
      "task-seconds", po::value(&options.task_seconds)->default_value(120)->value_name("S"),
      "with --slurm: put points together into tasks of about so long")(
      "detach", po::bool_switch(&options.detach), "with --slurm: submit and return at once")(
      "quiet", po::bool_switch(&options.quiet), "no progress");
  hidden.add_options()("sweep", po::value(&options.sweep_file));
  po::positional_options_description operands;
  operands.add("sweep", 1);
  const auto values = parse_options(
      {"sweep run", "SWEEP.yaml [options]",
       "Runs every point of a sweep that is not done yet. DIR gets results.csv and results.sqlite, a row "
       "per\n"
       "point and scheme, rewritten as points finish; the same bytes whatever -j, interruptions and "
       "machines.\n"
       "Exit status 1 if a point failed or is missing.\n"},
      shown, hidden, operands, arguments);
  if (!values) return kDone;
  check_use(*values, options);
  if (!values->count("output")) options.directory = default_directory(options.sweep_file);
  return sweep::run_sweep(options);
}

}  // namespace t3sim::sweep_commands
