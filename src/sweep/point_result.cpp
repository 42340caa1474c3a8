#include "sweep/point_result.h"

#include <fmt/format.h>

#include "base/sha256.h"
#include "results/scheme_json.h"

namespace t3sim::sweep {
namespace {

using Json = nlohmann::ordered_json;

std::string head(const std::string& key, const std::string& body) {
  return fmt::format("t3sim-point 2 {} {}\n", key, sha256_hex(body));
}

}  // namespace

nlohmann::ordered_json columns_of(const SchemeResult& scheme, const FurtherColumns& further) {
  Json row{{"scheme", scheme.name}, {"time_us", scheme.time_us}, {"speedup", scheme.speedup}};
  for (const auto& [name, value] : scheme.phases) row[name] = value;
  for (const auto& [name, value] : scheme.dram_bytes) row[fmt::format("dram_{}_bytes", name)] = value;
  row["link_bytes"] = scheme.link_bytes;
  for (const auto& [component, values] : scheme.counters)
    for (const auto& [name, value] : values)
      std::visit([&, key = component + "_" + name](auto v) { row[key] = v; }, value);
  const auto add = [&](const std::vector<std::pair<std::string, t3sim::Value>>& columns) {
    for (const auto& [name, value] : columns)
      std::visit([&, &n = name](const auto& v) { row[n] = v; }, value);
  };
  if (further.gap()) add(gap_columns(scheme));
  if (further.limits()) add(limit_columns(scheme));
  return row;
}

PointResult point_result(const RunReport& report, const std::vector<std::string>& counters) {
  PointResult result{report.schemes, report.host_seconds, report.events};
  for (SchemeResult& scheme : result.schemes)
    for (auto& block : collected(report, scheme.name, counters)) scheme.counters.push_back(std::move(block));
  return result;
}

std::string result_text(const std::string& key, const PointResult& result) {
  Json json{{"schemes", Json::object()}, {"host_seconds", result.host_seconds}, {"events", result.events}};
  for (const SchemeResult& scheme : result.schemes) json["schemes"][scheme.name] = to_json(scheme);
  const std::string body = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  return head(key, body) + body;
}

std::optional<PointResult> parse_result(const std::string& text, const std::string& key) {
  const std::size_t line = text.find('\n');
  if (line == text.npos) return std::nullopt;
  const std::string body = text.substr(line + 1);
  if (text.substr(0, line + 1) != head(key, body)) return std::nullopt;
  const Json json = Json::parse(body, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  PointResult result{{}, json.at("host_seconds").get<double>(), json.at("events").get<std::uint64_t>()};
  for (const auto& [name, scheme] : json.at("schemes").items())
    result.schemes.push_back(scheme_from_json(name, scheme));
  return result;
}

}  // namespace t3sim::sweep
