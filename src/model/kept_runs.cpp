#include "model/kept_runs.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/sha256.h"
#include "results/build_info.h"

namespace t3sim::model {
namespace {

using Json = nlohmann::ordered_json;

std::string sources() { return std::string(kBuildInfo.simulating).substr(0, 12); }

}  // namespace

KeptRuns::KeptRuns(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  for (int line = 1; std::getline(file, text); ++line) {
    try {
      const Json json = Json::parse(text);
      of_these_sources_ += json.at("sources").get<std::string>() == sources() ? 1 : 0;
      results_[json.at("run").get<std::string>()] = json.at("result").dump();
    } catch (const Json::exception&) {
      throw InputError(fmt::format("{}:{}: no finished run", path, line));
    }
  }
}

const std::string* KeptRuns::find(const std::string& run) const {
  const auto found = results_.find(run);
  return found == results_.end() ? nullptr : &found->second;
}

std::string KeptRuns::line(const std::string& run, const std::string& name, const std::string& result) {
  return Json{{"run", run}, {"sources", sources()}, {"of", name}, {"result", Json::parse(result)}}.dump() +
         "\n";
}

std::string KeptRuns::hash(const std::string& resolved) {
  return sha256_hex(kBuildInfo.simulating + resolved);
}

}  // namespace t3sim::model
