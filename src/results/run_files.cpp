#include "results/run_files.h"

#include "results/manifest.h"
#include "results/text_files.h"

namespace t3sim {

void write_run(OutputDirectory& directory, const RunReport& report, const std::string& resolved,
               const std::vector<config::InputFile>& config_files) {
  directory.write("results.json", results_json(report));
  directory.write("stats.csv", stats_csv(report.stats));
  directory.write("series.csv", series_csv(report.series));
  directory.write("timeline.csv", timeline_csv(report.timeline));
  directory.write("config.yaml", resolved);
  for (const auto& [name, content] : report.more_files) directory.write(name, content);
  directory.commit(run_manifest(report, resolved, config_files));
}

}  // namespace t3sim
