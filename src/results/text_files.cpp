#include "results/text_files.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "results/scheme_json.h"

namespace t3sim {
namespace {

using Json = nlohmann::ordered_json;

template <class Variant>
Json json_of(const Variant& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

Json workload_json(const WorkloadInfo& w) {
  Json json{{"name", w.name}, {"m", w.m}, {"n", w.n}, {"k", w.k}, {"gpus", w.gpus}};
  for (const auto& [key, value] : w.more) json[key] = json_of(value);
  return json;
}

// Integers as they are, doubles with the fewest digits that read back as the same double.
std::string number(const Number& value) {
  return std::visit([](auto v) { return fmt::format("{}", v); }, value);
}

}  // namespace

std::string results_json(const RunReport& report) {
  Json json{{"schema", 1}, {"workload", workload_json(report.workload)}, {"schemes", Json::object()}};
  for (const SchemeResult& scheme : report.schemes) json["schemes"][scheme.name] = to_json(scheme);
  if (report.functional)
    json["functional"] = {{"elements", report.functional->elements}, {"errors", report.functional->errors}};
  if (!report.gpu_model.empty()) json["gpu_model"] = report.gpu_model;
  if (!report.warnings.empty()) json["warnings"] = report.warnings;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string stats_csv(const std::vector<StatRow>& rows) {
  fmt::memory_buffer out;
  fmt::format_to(std::back_inserter(out), "gpu,component,name,value,unit,scheme,phase\n");
  for (const StatRow& r : rows)
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{}\n", r.gpu, csv_field(r.component),
                   csv_field(r.name), number(r.value), csv_field(r.unit), csv_field(r.scheme),
                   csv_field(r.phase));
  return fmt::to_string(out);
}

std::string series_csv(const std::vector<SeriesRow>& rows) {
  fmt::memory_buffer out;
  fmt::format_to(std::back_inserter(out),
                 "gpu,component,name,start_us,interval_us,value,unit,scheme,phase\n");
  for (const SeriesRow& r : rows)
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{}\n", r.gpu, csv_field(r.component),
                   csv_field(r.name), r.start_us, r.interval_us, number(r.value), csv_field(r.unit),
                   csv_field(r.scheme), csv_field(r.phase));
  return fmt::to_string(out);
}

std::string timeline_csv(const std::vector<TimelineRow>& rows) {
  fmt::memory_buffer out;
  fmt::format_to(std::back_inserter(out), "scheme,phase,gpu,track,name,start_us,end_us\n");
  for (const TimelineRow& r : rows)
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{:.3f},{:.3f}\n", csv_field(r.scheme),
                   csv_field(r.phase), r.gpu, csv_field(r.track), csv_field(r.name), r.start_us, r.end_us);
  return fmt::to_string(out);
}

}  // namespace t3sim
