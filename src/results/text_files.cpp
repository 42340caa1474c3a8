#include "results/text_files.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

namespace t3sim {
namespace {

using Json = nlohmann::ordered_json;

template <class Variant>
Json json_of(const Variant& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

template <class T>
Json object_of(const Ordered<T>& pairs) {
  Json object = Json::object();
  for (const auto& [key, value] : pairs) object[key] = value;
  return object;
}

Json object_of(const Ordered<Number>& pairs) {
  Json object = Json::object();
  for (const auto& [key, value] : pairs) object[key] = json_of(value);
  return object;
}

Json workload_json(const WorkloadInfo& w) {
  Json json{{"name", w.name}, {"m", w.m}, {"n", w.n}, {"k", w.k}, {"gpus", w.gpus}};
  for (const auto& [key, value] : w.more) json[key] = json_of(value);
  return json;
}

// Picoseconds, so that they add up as they are printed.
double microseconds(std::int64_t ps) { return static_cast<double>(ps) / 1e6; }

Json gap_json(const GapResult& gap) {
  Json parts = Json::object();
  for (const auto& [key, ps] : gap.parts_ps) parts[key] = microseconds(ps);
  return {{"reference", "ideal-overlap"},
          {"bound_by", gap.bound_by},
          {"gap_us", microseconds(gap.gap_ps)},
          {"parts_us", std::move(parts)},
          {"unexplained_share", gap.unexplained_share()}};
}

Json limits_json(const PhaseLimits& l) {
  return {{"tflops", l.tflops},
          {"matrix_share", l.matrix_share},
          {"link_share", l.link_share},
          {"link_idle_cause", l.link_idle_cause},
          {"dram_GBps", l.dram_GBps},
          {"dram_share", l.dram_share},
          {"l2_hit_rate", l.l2_hit_rate ? Json(*l.l2_hit_rate) : Json()},
          {"cus_busy", l.cus_busy},
          {"limited_by", l.limited_by},
          {"limited_share", l.limited_share}};
}

Json scheme_json(const SchemeResult& s) {
  Json json{{"time_us", s.time_us},          {"speedup", s.speedup},
            {"phases", object_of(s.phases)}, {"dram_bytes", object_of(s.dram_bytes)},
            {"link_bytes", s.link_bytes},    {"tracker", object_of(s.tracker)}};
  if (s.gap) json["gap"] = gap_json(*s.gap);
  if (!s.no_gap.empty()) json["no_gap"] = s.no_gap;
  for (const auto& [phase, limits] : s.limits) json["limits"][phase] = limits_json(limits);
  return json;
}

// A field of a CSV file (RFC 4180).
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

// Integers as they are, doubles with the fewest digits that read back as the same double.
std::string number(const Number& value) {
  return std::visit([](auto v) { return fmt::format("{}", v); }, value);
}

}  // namespace

std::string results_json(const RunReport& report) {
  Json json{{"schema", 1}, {"workload", workload_json(report.workload)}, {"schemes", Json::object()}};
  for (const SchemeResult& scheme : report.schemes) json["schemes"][scheme.name] = scheme_json(scheme);
  if (report.functional)
    json["functional"] = {{"elements", report.functional->elements}, {"errors", report.functional->errors}};
  if (!report.warnings.empty()) json["warnings"] = report.warnings;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string stats_csv(const std::vector<StatRow>& rows) {
  fmt::memory_buffer out;
  fmt::format_to(std::back_inserter(out), "gpu,component,name,value,unit,scheme,phase\n");
  for (const StatRow& r : rows)
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{}\n", r.gpu, field(r.component),
                   field(r.name), number(r.value), field(r.unit), field(r.scheme), field(r.phase));
  return fmt::to_string(out);
}

std::string series_csv(const std::vector<SeriesRow>& rows) {
  fmt::memory_buffer out;
  fmt::format_to(std::back_inserter(out),
                 "gpu,component,name,start_us,interval_us,value,unit,scheme,phase\n");
  for (const SeriesRow& r : rows)
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{}\n", r.gpu, field(r.component),
                   field(r.name), r.start_us, r.interval_us, number(r.value), field(r.unit), field(r.scheme),
                   field(r.phase));
  return fmt::to_string(out);
}

std::string timeline_csv(const std::vector<TimelineRow>& rows) {
  fmt::memory_buffer out;
  fmt::format_to(std::back_inserter(out), "scheme,phase,gpu,track,name,start_us,end_us\n");
  for (const TimelineRow& r : rows)
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{:.3f},{:.3f}\n", field(r.scheme), field(r.phase),
                   r.gpu, field(r.track), field(r.name), r.start_us, r.end_us);
  return fmt::to_string(out);
}

}  // namespace t3sim
