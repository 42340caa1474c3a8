#include "app/run_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "base/error.h"
#include "base/exit_status.h"
#include "results/manifest.h"
#include "results/output_directory.h"
#include "results/progress.h"
#include "run/program_report.h"
#include "run/program_trace.h"
#include "runtime/configured_run.h"
#include "runtime/load_program.h"

namespace t3sim {
static void check_use(const Config& config, const RunArguments& run) {
  if (run.patience && config.run.sampling != SamplingChoice::automatic)
    throw InputError("run: --patience has a use with run.sampling: auto only");
  if (!run.request.schemes.empty())
    throw InputError("run: --scheme has no use: a program runs instead of schemes");
  if (run.debug) throw InputError("run: --debug shows what schemes do, not programs");
  if (run.explain)
    throw InputError("run: --explain shows the plan of a fused run; see t3sim program explain");
}

int run_program_command(const Config& config, const std::vector<config::InputFile>& files,
                        const RunArguments& run) {
  check_use(config, run);
  const program::Program checked = load_program(config);
  if (config.run.functional && checked.promises.empty())
    throw InputError(checked.file + ": run.functional: the program promises nothing that could be checked");
  if (run.dry_run) {
    fmt::print("Nothing was simulated; the configuration and the program are valid.\n");
    return kDone;
  }
  std::optional<OutputDirectory> directory;
  if (!run.output.empty()) directory.emplace(run.output);  // before the work: it may be refused
  ConfiguredRun done =
      run_configured(config, {}, run.options.threads, run.patience.value_or(kPatience) * kBytesASecond);
  if (run.overlap && done.sample)
    throw InputError("run: --overlap needs all of the program simulated: say run.sampling: off");
  if (run.overlap) done.overlap = overlap_of(done.config, done.program, done.result, run.options.threads);
  const program::Program& program = done.program;
  const ProgramResult& result = done.result;
  const TimeBase time = time_base(done.config);
  const std::string json = program_json(done);
  fmt::print("{}", run.json ? json : program_table(done));
  if (!directory) return kDone;
  directory->write("results.json", json);
  directory->write("commands.csv", commands_csv(program, result, time));
  if (run.options.timeline) {
    const PerfettoTrace trace = program_trace(program, result, *run.options.timeline, time);
    directory->write("timeline.perfetto-trace", trace.bytes);
    for (const std::string& note : trace.notes) fmt::print(stderr, "{}\n", note);
  }
  directory->write("config.yaml", config::write(config));
  nlohmann::ordered_json manifest = manifest_base(files);
  manifest["host_seconds"] = result.host_seconds;
  manifest["events"] = result.events;
  directory->commit(std::move(manifest));
  if (!run.json) fmt::print("\nFiles in {}: {}\n", directory->path(), fmt::join(directory->files(), ", "));
  return kDone;
}

}  // namespace t3sim
