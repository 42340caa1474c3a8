#include "model/kept_runs.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.h"
#include "base/sha256.h"
#include "results/build_info.h"

namespace t3sim::model {
namespace {

using Json = nlohmann::ordered_json;

std::string hash_of(const std::string& sources, const std::string& resolved) {
  return sha256_hex(sources + resolved);
}

std::string key_of(const Json& json) {
  return json.at("of").get<std::string>() + json.at("run").get<std::string>();
}

}  // namespace

KeptRuns::KeptRuns(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  for (int line = 1; std::getline(file, text); ++line) {
    try {
      const Json json = Json::parse(text);
      const auto sources = json.at("sources").get<std::string>();
      if (sources != kBuildInfo.simulating) {
        others_.insert(sources);
      } else {
        lines_[key_of(json)] = text + "\n";
        taken_over_ += json.contains("ran_with") ? 1 : 0;
      }
      const auto run = json.at("run").get<std::string>();
      results_[run] = json.at("result").dump();
      if (json.contains("ran_with")) ran_with_[run] = json.at("ran_with").get<std::string>();
    } catch (const Json::exception&) {
      throw InputError(fmt::format("{}:{}: no finished run", path, line));
    }
  }
}

const std::string* KeptRuns::find(const std::string& run) const {
  const auto found = results_.find(run);
  return found == results_.end() ? nullptr : &found->second;
}

std::optional<KeptRuns::Other> KeptRuns::find_other(const std::string& resolved) const {
  for (const std::string& sources : others_) {
    const std::string run = hash_of(sources, resolved);
    const std::string* result = find(run);
    if (!result) continue;
    const auto first = ran_with_.find(run);
    return Other{result, sources, first == ran_with_.end() ? sources : first->second};
  }
  return std::nullopt;
}

std::string KeptRuns::with(const std::string& lines) const {
  std::map<std::string, std::string> all = lines_;
  std::istringstream stream(lines);
  for (std::string text; std::getline(stream, text);) all[key_of(Json::parse(text))] = text + "\n";
  std::string sum;
  for (const auto& [key, line] : all) sum += line;
  return sum;
}

std::string KeptRuns::line(const std::string& run, const std::string& name, const std::string& result,
                           const std::string& ran_with) {
  Json json{{"run", run}, {"sources", kBuildInfo.simulating}};
  if (!ran_with.empty()) json["ran_with"] = ran_with;
  json["of"] = name;
  json["result"] = Json::parse(result);
  return json.dump() + "\n";
}

std::string KeptRuns::hash(const std::string& resolved) { return hash_of(kBuildInfo.simulating, resolved); }

}  // namespace t3sim::model
