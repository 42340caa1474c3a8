#include "app/run_program.h"

#include <fmt/format.h>

#include <optional>

#include "base/exit_status.h"
#include "results/manifest.h"
#include "results/output_directory.h"
#include "results/progress.h"
#include "run/program_report.h"
#include "runtime/load_program.h"

namespace t3sim {
int run_program_command(const Config& config, const std::vector<config::InputFile>& files,
                        const RunOptions& options) {
  const program::Program program = load_program(config);
  std::optional<OutputDirectory> directory;
  if (!options.output.empty()) directory.emplace(options.output);  // before the work: it may be refused
  const TimeBase time = time_base(config);
  const ProgramResult result = run_program(config, program, {}, options.threads);
  fmt::print("{}", program_table(program, result, time));
  if (!directory) return kDone;
  const std::string resolved = config::write(config);
  directory->write("results.json", program_json(program, result, time));
  directory->write("commands.csv", commands_csv(program, result, time));
  directory->write("config.yaml", resolved);
  nlohmann::ordered_json manifest = manifest_base(files);
  manifest["host_seconds"] = result.host_seconds;
  manifest["events"] = result.events;
  directory->commit(std::move(manifest));
  fmt::print("\nFiles in {}: {}\n", directory->path(), fmt::join(directory->files(), ", "));
  return kDone;
}

}  // namespace t3sim
