#include "report/program_data.h"

#include <algorithm>
#include <map>

#include "base/csv.h"
#include "report/refuse.h"
#include "report/run_data.h"

namespace t3sim::report {
namespace {

using Json = nlohmann::ordered_json;

bool is_gpu(const Json& gpu) {
  constexpr const char* kNumbers[] = {"gpu", "link_bytes"};
  // All of them, or none: those of a sample without times of commands.
  constexpr const char* kTimes[] = {"time_us", "kernels_us", "communication_us", "exposed_communication_us",
                                    "idle_us"};
  const auto has = [&](const char* key) { return gpu.value(key, Json()).is_number(); };
  return gpu.is_object() && gpu.value("dram_bytes", Json()).is_object() &&
         std::ranges::all_of(kNumbers, has) &&
         (std::ranges::all_of(kTimes, has) || std::ranges::none_of(kTimes, has));
}

Json program_results(const ResultFiles& files) {
  Json results = Json::parse(files.at("results.json"), nullptr, false);
  const bool sound = results.is_object() && results.value("program", Json()).is_string() &&
                     results.value("time_us", Json()).is_number() &&
                     results.value("by_gpu", Json()).is_array() && !results["by_gpu"].empty() &&
                     std::ranges::all_of(results["by_gpu"], is_gpu);
  if (!sound) refuse(files.path("results.json"), "not the results of a program (program, time_us, by_gpu)");
  return results;
}

Json commands_of(const ResultFiles& files) {
  CsvTable row(files.at("commands.csv"), files.path("commands.csv"));
  row.expect("gpu,number,stream,kind,command,issued_us,begun_us,done_us");
  std::map<std::string, std::size_t> places;
  Json texts = Json::array(), columns = Json::object();
  for (const std::string& name : row.columns()) columns[name] = Json::array();
  while (row.next_row()) {
    for (const char* name : {"gpu", "number"}) columns[name].push_back(row.number(row.column(name)));
    for (const char* name : {"issued_us", "begun_us", "done_us"})
      columns[name].push_back(row.real(row.column(name)));
    for (const char* name : {"stream", "kind", "command"}) {
      const auto [it, is_new] = places.emplace(row.text(row.column(name)), places.size());
      if (is_new) texts.push_back(it->first);
      columns[name].push_back(it->second);
    }
  }
  columns["texts"] = std::move(texts);
  return columns;
}

}  // namespace

nlohmann::ordered_json program_data(const ResultFiles& files) {
  return {{"kind", "program"},
          {"results", program_results(files)},
          {"config", config_of(files)},
          {"commands", commands_of(files)},
          {"config_text", files.at("config.yaml")},
          {"about", about_of(files)}};
}

}  // namespace t3sim::report
