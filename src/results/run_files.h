// The files of a run, as the README lists them under "Files".
#pragma once

#include <string>
#include <vector>

#include "results/output_directory.h"
#include "results/results.h"

namespace t3sim {

// Writes results.json, stats.csv, series.csv, timeline.csv, config.yaml, further files of the report and
// manifest.json, and puts the directory in place.
void write_run(OutputDirectory& directory, const RunReport& report, const std::string& resolved,
               const std::vector<config::InputFile>& config_files);

}  // namespace t3sim
