// t3sim run --graph FILE, --chakra PREFIX (docs/models.md).
#pragma once

#include "app/config_request.h"
#include "app/run_arguments.h"

namespace t3sim {

// Prints a table (or JSON) and, where the options name a directory, writes results.json, operations.csv, timeline.json,
// config.yaml and manifest.json there. Returns the exit status.
int run_graph_command(const LoadedConfig& loaded, const RunArguments& run);

}  // namespace t3sim
