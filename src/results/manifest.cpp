#include "results/manifest.h"

#include <sys/resource.h>

#include "base/number.h"
#include "base/sha256.h"
#include "results/build_info.h"

namespace t3sim {
namespace {

std::uint64_t peak_memory_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return narrow<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace

nlohmann::ordered_json manifest_base(const std::vector<config::InputFile>& inputs) {
  nlohmann::ordered_json json{{"version", kBuildInfo.version},
                              {"git_commit", kBuildInfo.git_commit},
                              {"compiler", kBuildInfo.compiler},
                              {"build_type", kBuildInfo.build_type},
                              {"peak_memory_bytes", peak_memory_bytes()},
                              {"inputs", nlohmann::ordered_json::object()}};
  for (const config::InputFile& file : inputs) json["inputs"][file.path] = "sha256:" + file.sha256;
  return json;
}

nlohmann::ordered_json run_manifest(const RunReport& report, const std::string& resolved,
                                    const std::vector<config::InputFile>& config_files) {
  std::vector<config::InputFile> inputs = config_files;
  inputs.insert(inputs.end(), report.inputs.begin(), report.inputs.end());
  nlohmann::ordered_json json = manifest_base(inputs);
  json["config"] = "sha256:" + sha256_hex(resolved);
  json["host_seconds"] = nlohmann::ordered_json::object();
  json["simulated_events"] = nlohmann::ordered_json::object();
  for (const SchemeResult& scheme : report.schemes) {
    json["host_seconds"][scheme.name] = scheme.host_seconds;
    json["simulated_events"][scheme.name] = scheme.events;
  }
  return json;
}

}  // namespace t3sim
