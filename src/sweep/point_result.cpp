#include "sweep/point_result.h"

#include <fmt/format.h>

#include "base/sha256.h"

namespace t3sim::sweep {
namespace {

using Json = nlohmann::ordered_json;

Json row_of(const SchemeResult& scheme) {
  Json row{{"scheme", scheme.name}, {"time_us", scheme.time_us}, {"speedup", scheme.speedup}};
  for (const auto& [name, value] : scheme.phases) row[name] = value;
  for (const auto& [name, value] : scheme.dram_bytes) row[fmt::format("dram_{}_bytes", name)] = value;
  row["link_bytes"] = scheme.link_bytes;
  for (const auto& [name, value] : scheme.tracker)
    std::visit([&, key = "tracker_" + name](auto v) { row[key] = v; }, value);
  return row;
}

std::string head(const std::string& key, const std::string& body) {
  return fmt::format("t3sim-point 1 {} {}\n", key, sha256_hex(body));
}

}  // namespace

PointResult point_result(const RunReport& report) {
  PointResult result;
  result.rows = Json::array();
  for (const SchemeResult& scheme : report.schemes) result.rows.push_back(row_of(scheme));
  result.host_seconds = report.host_seconds;
  result.events = report.events;
  return result;
}

std::string result_text(const std::string& key, const PointResult& result) {
  const Json json{{"rows", result.rows}, {"host_seconds", result.host_seconds}, {"events", result.events}};
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
  return PointResult{json.at("rows"), json.at("host_seconds").get<double>(),
                     json.at("events").get<std::uint64_t>()};
}

}  // namespace t3sim::sweep
