#include "report/compare_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

#include "base/error.h"
#include "base/number.h"
#include "report/compare_sweeps.h"
#include "report/comparison_rows.h"
#include "report/program_data.h"
#include "report/run_data.h"

namespace t3sim::report {
namespace {

using Json = nlohmann::ordered_json;

struct Mean {
  double sum = 0;
  std::uint64_t count = 0;
};

using CommandKey = std::tuple<std::string, std::string, std::string>;  // stream, kind, command

// Commands of a program by stream, kind and name without numbers, of all GPUs together, in the order of commands.csv.
struct CommandMeans {
  std::vector<CommandKey> order;
  std::map<CommandKey, Mean> means;
};

// A column: a program, or one scheme of a run.
struct Column {
  std::string name, workload;
  Json config;
  std::vector<Quantity> quantities;
  CommandMeans commands;
};

constexpr std::size_t kMostColumns = 26;  // letters

double mean_over_gpus(const Json& by_gpu, const Json::json_pointer& place) {
  double sum = 0;
  for (const Json& one : by_gpu) sum += one.at(place).get<double>();
  return sum / real(by_gpu.size());
}

// A program's traffic goes by these names in results.json.
constexpr std::pair<const char*, const char*> kCauses[] = {
    {"gemm", "kernels"}, {"rs", "collectives"}, {"ag", "copies"}, {"other", "signals"}};
constexpr std::pair<const char*, const char*> kDirections[] = {{"_read", "DRAM read"},
                                                               {"_write", "DRAM written"}};

// In all, whatever caused it.
void add_dram(const Json& by_cause, std::vector<Quantity>& out) {
  for (const auto& [end, done] : kDirections) {
    double sum = 0;
    for (const auto& [cause, bytes] : by_cause.items())
      if (cause.ends_with(end)) sum += bytes.get<double>();
    out.push_back({"bytes", done, "bytes", sum});
  }
}

std::vector<Quantity> quantities_of_program(const Json& results) {
  const Json& by_gpu = results.at("by_gpu");
  const auto mean = [&](const std::string& key) {
    return mean_over_gpus(by_gpu, Json::json_pointer("/" + key));
  };
  std::vector<Quantity> out{{"time", "total", "us", results.at("time_us").get<double>()}};
  constexpr std::pair<const char*, const char*> kTimes[] = {
      {"kernels", "kernels_us"},
      {"communication", "communication_us"},
      {"communication without a kernel", "exposed_communication_us"},
      {"neither", "idle_us"}};
  for (const auto& [name, key] : kTimes)
    if (by_gpu[0].contains(key)) out.push_back({"time", name, "us", mean(key)});
  Json dram = Json::object();
  for (const auto& [cause, bytes] : by_gpu[0].at("dram_bytes").items())
    dram[cause] = mean("dram_bytes/" + cause);
  add_dram(dram, out);
  for (const auto& [key, name] : kCauses)
    for (const auto& [end, done] : kDirections)
      out.push_back(
          {"bytes", fmt::format("{} by {}", done, name), "bytes", dram.value(key + std::string(end), 0.0)});
  out.push_back({"bytes", "sent", "bytes", mean("link_bytes")});
  return out;
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_of_a_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// "copy a@#[rows #:#]" of "copy a@1[rows 0:512]": the same command on all GPUs and in all rounds of a loop.
std::string without_numbers(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_digit(text[i]) || (i > 0 && is_of_a_name(text[i - 1]))) {
      out += text[i++];
      continue;
    }
    while (i < text.size() && is_digit(text[i])) ++i;
    out += '#';
  }
  return out;
}

CommandMeans means_of(const Json& commands) {
  CommandMeans all;
  const Json& texts = commands.at("texts");
  const auto text = [&](const char* column, std::size_t row) {
    return texts[commands[column][row].get<std::size_t>()].get<std::string>();
  };
  for (std::size_t row = 0; row < commands.at("gpu").size(); ++row) {
    const CommandKey key{without_numbers(text("stream", row)), text("kind", row),
                         without_numbers(text("command", row))};
    const auto [it, is_new] = all.means.emplace(key, Mean{});
    if (is_new) all.order.push_back(key);
    it->second.sum += commands["done_us"][row].get<double>() - commands["begun_us"][row].get<double>();
    ++it->second.count;
  }
  return all;
}

Column column_of_program(const std::string& directory) {
  Json data = program_data(read_result(directory, ResultKind::program));
  const Json& results = data["results"];
  return {directory,
          fmt::format("{} on {} GPUs", results["program"].get<std::string>(), results.value("gpus", 0)),
          std::move(data["config"]), quantities_of_program(results), means_of(data["commands"])};
}

// What a program's results have too. They have no speed-ups, gaps and limits.
bool goes_with_programs(const Quantity& q) {
  return (q.group == "time" && q.unit == "us") || q.group == "bytes";
}

void add_columns_of_run(const std::string& directory, std::vector<Column>& columns) {
  const ResultFiles files = read_result(directory);
  const Json results = results_of(files), config = config_of(files);
  for (const auto& [scheme, result] : results.at("schemes").items()) {
    Column column{
        fmt::format("{} ({})", directory, scheme), workload_text(results.at("workload")), config, {}, {}};
    add_dram(result.at("dram_bytes"), column.quantities);
    std::ranges::copy_if(quantities_of(result), std::back_inserter(column.quantities), goes_with_programs);
    columns.push_back(std::move(column));
  }
}

std::vector<Column> columns_of(const std::vector<std::string>& directories) {
  std::vector<Column> columns;
  for (const std::string& directory : directories)
    if (is_program_run(directory))
      columns.push_back(column_of_program(directory));
    else
      add_columns_of_run(directory, columns);
  if (columns.size() > kMostColumns)
    throw InputError(fmt::format("compare: {} programs and schemes are too many; allowed: up to {}",
                                 columns.size(), kMostColumns));
  return columns;
}

std::vector<CommandKey> all_commands(const std::vector<Column>& columns) {
  std::vector<CommandKey> keys;
  for (const Column& column : columns)
    for (const CommandKey& key : column.commands.order)
      if (std::ranges::count(keys, key) == 0) keys.push_back(key);
  return keys;
}

Json command_rows(const std::vector<Column>& columns) {
  Json rows = Json::array();
  for (const CommandKey& key : all_commands(columns)) {
    const auto& [stream, kind, command] = key;
    Json counts = Json::array(), values = Json::array();
    for (const Column& column : columns) {
      const auto it = column.commands.means.find(key);
      const bool has = it != column.commands.means.end();
      counts.push_back(has ? it->second.count : 0);
      values.push_back(has ? Json(it->second.sum / real(it->second.count)) : Json());
    }
    rows.push_back({{"stream", stream}, {"kind", kind}, {"command", command}, {"counts", counts}});
    rows.back()["change"] = changes_of(values, false);
    rows.back()["values"] = std::move(values);
  }
  return rows;
}

}  // namespace

nlohmann::ordered_json compare_programs(const std::vector<std::string>& directories) {
  const std::vector<Column> columns = columns_of(directories);
  Json data{{"kind", "comparison"}, {"schema", 1}, {"names", Json::array()}, {"workloads", Json::array()}};
  std::vector<Json> configs;
  ComparisonRows rows(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    data["names"].push_back(columns[i].name);
    data["workloads"].push_back(columns[i].workload);
    configs.push_back(columns[i].config);
    for (const Quantity& q : columns[i].quantities) rows.add(i, "", q);
  }
  data["config"] = differing_keys(configs);
  data["rows"] = rows.finish();
  data["limited_by"] = Json::array();
  data["commands"] = command_rows(columns);
  return data;
}

}  // namespace t3sim::report
