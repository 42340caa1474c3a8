// t3sim run with gpus.model: message (docs/messages.md).
#pragma once

#include <vector>

#include "app/run_arguments.h"
#include "config/config.h"
#include "machine/config.h"

namespace t3sim {

// Prints a table (or JSON) and, where the options name a directory, writes results.json, links.csv, stats.csv,
// config.yaml and manifest.json there. Returns the exit status.
int run_messages_command(const Config& config, const std::vector<config::InputFile>& files,
                         const RunArguments& run);

}  // namespace t3sim
