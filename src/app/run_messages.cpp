#include "app/run_messages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "base/error.h"
#include "base/exit_status.h"
#include "base/sha256.h"
#include "results/manifest.h"
#include "results/output_directory.h"
#include "run/messages.h"

namespace t3sim {

int run_messages_command(const Config& config, const std::vector<config::InputFile>& files,
                         const RunArguments& run) {
  if (!run.request.schemes.empty())
    throw InputError("run: --scheme has no use with gpus.model: message: collectives run, not schemes");
  refuse_cycle_level(run, "messages (gpus.model: message)");
  if (run.explain) fmt::print(run.json ? stderr : stdout, "{}\n", explain_messages(config));
  if (run.dry_run) {
    fmt::print("Nothing was simulated; the configuration and its plans are valid.\n");
    return kDone;
  }
  std::optional<OutputDirectory> directory;
  if (!run.output.empty()) directory.emplace(run.output);  // before the work: it may be refused
  const MessageReport report = run_messages(config);
  const std::string json = messages_json(config, report);
  fmt::print("{}", run.json ? json : messages_table(report));
  if (!directory) return kDone;
  const std::string resolved = config::write(config);
  directory->write("results.json", json);
  directory->write("links.csv", message_links_csv(report));
  directory->write("stats.csv", message_stats_csv(report));
  directory->write("config.yaml", resolved);
  nlohmann::ordered_json manifest = manifest_base(files);
  manifest["config"] = "sha256:" + sha256_hex(resolved);
  manifest["host_seconds"] = report.host_seconds;
  manifest["simulated_events"] = report.events;
  directory->commit(std::move(manifest));
  if (!run.json) fmt::print("\nFiles in {}: {}\n", directory->path(), fmt::join(directory->files(), ", "));
  return kDone;
}

}  // namespace t3sim
