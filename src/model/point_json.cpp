// A run's result on disk.
#include <nlohmann/json.hpp>

#include "base/number.h"
#include "model/points.h"
#include "results/scheme_json.h"

namespace t3sim::model {
namespace {

using Json = nlohmann::ordered_json;

double as_double(const Number& number) {
  return std::visit([](auto v) { return static_cast<double>(v); }, number);
}

constexpr std::pair<const char*, double ProgramParts::*> kParts[] = {
    {"kernels_alone_us", &ProgramParts::kernels_alone_us},
    {"polling_us", &ProgramParts::polling_us},
    {"lost_cus_us", &ProgramParts::lost_cus_us},
    {"barriers_us", &ProgramParts::barriers_us},
    {"kernels_at_links_us", &ProgramParts::kernels_at_links_us},
    {"barriers_at_links_us", &ProgramParts::barriers_at_links_us},
};

void add_more(Json& json, const PointResult& more) {
  if (more.sample_error_us != 0) json["sample_error_us"] = more.sample_error_us;
  if (more.together) json["together"] = {more.together->gemm, more.together->communication};
  if (!more.gpu_us.empty()) json["gpu_us"] = more.gpu_us;
  if (more.held_cus != 0) json["held_cus"] = more.held_cus;
  if (!more.kernel_us.empty()) json["kernel_us"] = more.kernel_us;
  if (!more.asked_parts) return;
  json["parts"] = Json::object();
  if (more.parts)
    for (const auto& [name, of] : kParts) json["parts"][name] = (*more.parts).*of;
}

}  // namespace

std::string point_json(const RunReport& report, const PointResult& more) {
  Json json{{"schemes", Json::object()}, {"series", Json::array()}};
  add_more(json, more);
  for (const SchemeResult& scheme : report.schemes) json["schemes"][scheme.name] = to_json(scheme);
  for (const SeriesRow& row : report.series)
    if (row.component == "dram" && row.unit == "bytes")
      json["series"].push_back(
          {row.scheme, row.phase, row.name, row.start_us, row.interval_us, as_double(row.value)});
  return json.dump() + "\n";
}

std::string short_point_json(const PointResult& result) {
  Json json{{"schemes", Json::object()}, {"series", Json::array()}};
  add_more(json, result);
  for (const auto& [name, scheme] : result.schemes) {
    SchemeResult brief;
    brief.time_us = scheme.time_us;
    brief.speedup = scheme.speedup;
    brief.phases = scheme.phases;
    brief.dram_bytes = scheme.dram_bytes;
    brief.link_bytes = scheme.link_bytes;
    json["schemes"][name] = to_json(brief);
  }
  return json.dump();
}

PointResult parse_point(const std::string& text) {
  const Json json = Json::parse(text);
  PointResult result;
  result.sample_error_us = json.value("sample_error_us", 0.0);
  if (json.contains("together"))
    result.together = Contention{json["together"].at(0).get<double>(), json["together"].at(1).get<double>()};
  result.gpu_us = json.value("gpu_us", std::vector<double>());
  result.held_cus = json.value("held_cus", 0.0);
  result.kernel_us = json.value("kernel_us", std::map<std::string, double>());
  result.asked_parts = json.contains("parts");
  if (result.asked_parts && !json["parts"].empty()) {
    result.parts.emplace();
    for (const auto& [name, of] : kParts) (*result.parts).*of = json["parts"].at(name);
  }
  for (const auto& [name, scheme] : json.at("schemes").items())
    result.schemes.emplace(name, scheme_from_json(name, scheme));
  for (const Json& row : json.at("series")) {
    SeriesRow series;
    series.component = "dram";
    series.scheme = row.at(0).get<std::string>();
    series.phase = row.at(1).get<std::string>();
    series.name = row.at(2).get<std::string>();
    series.start_us = row.at(3).get<double>();
    series.interval_us = row.at(4).get<double>();
    series.value = row.at(5).get<double>();
    series.unit = "bytes";
    result.dram_series.push_back(std::move(series));
  }
  return result;
}

}  // namespace t3sim::model
