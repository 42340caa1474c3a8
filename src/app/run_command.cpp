// t3sim run: from arguments to a report in the terminal and a directory of files.
#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <stdexcept>

#include "app/interrupt.h"
#include "app/run_arguments.h"
#include "app/run_graph.h"
#include "app/run_messages.h"
#include "app/run_program.h"
#include "base/number.h"
#include "results/output_directory.h"
#include "results/progress.h"
#include "results/run_files.h"
#include "results/terminal.h"
#include "results/text_files.h"
#include "run/estimate.h"
#include "run/run_schemes.h"

namespace t3sim {
namespace {

using Output = std::optional<OutputDirectory>;

// What is said before the run: on standard error where standard output is for a program.
void print_before(const RunArguments& run, const LoadedConfig& loaded) {
  std::FILE* out = run.json ? stderr : stdout;
  if (!loaded.layer.empty()) fmt::print(out, "{}\n", loaded.layer);
  if (run.verbose)
    for (const config::InputFile& file : loaded.files) fmt::print(stderr, "read {}\n", file.path);
  if (run.explain) fmt::print(out, "{}\n", explain_run(loaded.config));
  std::fflush(out);  // the run may be long
}

void print_results(const RunArguments& run, const RunReport& report) {
  TerminalStyle style;
  style.unicode = terminal_is_utf8();
  fmt::print("{}", run.json ? results_json(report) : terminal_report(report, style));
  for (const std::string& warning : report.warnings) fmt::print(stderr, "{}\n", warning);
  for (const std::string& note : report.notes) fmt::print(stderr, "{}\n", note);
  if (!run.verbose) return;
  for (const SchemeResult& scheme : report.schemes)
    fmt::print(stderr, "{}: {} events in {:.2f} s of CPU time\n", scheme.name, scheme.events,
               scheme.host_seconds);
}

void print_files(const RunArguments& run, const OutputDirectory& directory) {
  fmt::print(run.json ? stderr : stdout, "\nFiles in {}: {}{}\n", directory.path(),
             fmt::join(directory.files(), ", "),
             directory.replaces() ? "; the result that was there is replaced" : "");
}

int dry_run(const RunArguments& run, const Config& config) {
  const RunEstimate e = estimate(config);
  if (run.json) {
    fmt::print("{{\"events\": {}, \"cpu_seconds\": {:.3g}, \"memory_bytes\": {}}}\n", e.events, e.seconds,
               e.memory_bytes);
    return kDone;
  }
  fmt::print("Nothing was simulated; the configuration is valid.\n");
  if (e.events == 0)
    fmt::print("How long it takes is not known: its loads come from a trace or a microbenchmark.\n");
  else
    fmt::print(
        "{:.3g} million events, {} of CPU time and {:.0f} MB of memory, each within a factor of two or so.\n",
        real(e.events) / 1e6, spoken_seconds(e.seconds), real(e.memory_bytes) / 1e6);
  return kDone;
}

std::string kept_by(Output& directory) {
  if (!directory) return "nothing was to be written (no -o)";
  if (directory->abandon()) return fmt::format("the result is complete, in {}", directory->path());
  return fmt::format("nothing was written to {}{}", directory->path(),
                     directory->replaces() ? "; the result that was there is kept" : "");
}

RunReport simulate(const RunArguments& run, const Config& config) {
  Progress progress(Progress::mode_for(run.quiet));
  return run_schemes(config, run.options, progress);
}

}  // namespace

int run_command(const Arguments& arguments) {
  const std::optional<RunArguments> run = parse_run(arguments);
  if (!run) return kDone;
  const LoadedConfig loaded = load_config(run->request);
  if (!loaded.note.empty()) fmt::print(stderr, "{}\n", loaded.note);
  if (!run->request.graph.empty() || !run->request.chakra.empty() || !run->request.collective.backend.empty())
    return run_graph_command(loaded, *run);
  if (loaded.config.gpus.model == GpuModel::message && loaded.config.message.collectives.empty())
    throw loaded.sources.error("message.collectives",
                               "is empty: this machine runs messages (gpus.model: message), so name a "
                               "collective there, or run --collective or --graph");
  if (loaded.config.gpus.model == GpuModel::message)
    return run_messages_command(loaded.config, loaded.files, *run);
  if (!loaded.config.program.file.empty()) return run_program_command(loaded.config, loaded.files, *run);
  if (run->overlap) throw InputError("run: --overlap is of programs; schemes have their gap to the ideal");
  if (run->patience) throw InputError("run: --patience is of programs; schemes are not sampled");
  if (run->dry_run) {
    print_before(*run, loaded);
    return dry_run(*run, loaded.config);
  }
  Output directory;
  if (!run->output.empty()) directory.emplace(run->output);  // before the work: it may be refused
  const Interrupt interrupt([&] { return kept_by(directory); });
  print_before(*run, loaded);
  const RunReport report = simulate(*run, loaded.config);
  if (run->debug) fmt::print(stderr, "{}", debug_lines(report.timeline, *run->debug));
  print_results(*run, report);
  if (directory) {
    write_run(*directory, report, config::write(loaded.config), loaded.files);
    print_files(*run, *directory);
  }
  if (const std::string failure = failure_of(report); !failure.empty()) throw std::runtime_error(failure);
  return kDone;
}

}  // namespace t3sim
