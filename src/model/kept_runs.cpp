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

std::string sources() { return std::string(kBuildInfo.simulating).substr(0, 12); }

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
      if (json.at("sources").get<std::string>() == sources()) lines_[key_of(json)] = text + "\n";
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

std::string KeptRuns::with(const std::string& lines) const {
  std::map<std::string, std::string> all = lines_;
  std::istringstream stream(lines);
  for (std::string text; std::getline(stream, text);) all[key_of(Json::parse(text))] = text + "\n";
  std::string sum;
  for (const auto& [key, line] : all) sum += line;
  return sum;
}

std::string KeptRuns::line(const std::string& run, const std::string& name, const std::string& result) {
  return Json{{"run", run}, {"sources", sources()}, {"of", name}, {"result", Json::parse(result)}}.dump() +
         "\n";
}

std::string KeptRuns::hash(const std::string& resolved) {
  return sha256_hex(kBuildInfo.simulating + resolved);
}

}  // namespace t3sim::model
