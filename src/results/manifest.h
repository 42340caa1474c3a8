// manifest.json: what made a result. Everything that depends on the host or the moment is here and nowhere
// else.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/load.h"
#include "results/results.h"

namespace t3sim {

inline constexpr const char* kManifest = "manifest.json";
inline constexpr const char* kManifestProgram = "t3sim";
// Of the manifest and the files it lists. 1: no hashes of the files.
inline constexpr int kManifestSchema = 2;

// Program, build, host costs of this process so far, hashes of the inputs.
nlohmann::ordered_json manifest_base(const std::vector<config::InputFile>& inputs);

// The same for a run; `resolved` is the content of its config.yaml.
nlohmann::ordered_json run_manifest(const RunReport& report, const std::string& resolved,
                                    const std::vector<config::InputFile>& config_files);

}  // namespace t3sim
