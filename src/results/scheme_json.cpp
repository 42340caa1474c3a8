#include "results/scheme_json.h"

#include <cmath>

#include "base/number.h"

namespace t3sim {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json object_of(const Ordered<T>& pairs) {
  Json object = Json::object();
  for (const auto& [key, value] : pairs) object[key] = value;
  return object;
}

Json object_of(const Ordered<Number>& pairs) {
  Json object = Json::object();
  for (const auto& [key, value] : pairs) std::visit([&, &name = key](auto v) { object[name] = v; }, value);
  return object;
}

template <class T>
Ordered<T> pairs_of(const Json& object) {
  Ordered<T> pairs;
  for (const auto& [key, value] : object.items()) pairs.emplace_back(key, value.template get<T>());
  return pairs;
}

Ordered<Number> numbers_of(const Json& object) {
  Ordered<Number> pairs;
  for (const auto& [key, value] : object.items())
    if (value.is_number_float())
      pairs.emplace_back(key, value.get<double>());
    else
      pairs.emplace_back(key, value.get<std::uint64_t>());
  return pairs;
}

// Times in picoseconds, so that they add up as they are printed.
double microseconds(std::int64_t ps) { return real(ps) / 1e6; }
std::int64_t picoseconds(double us) { return std::llround(us * 1e6); }

Json gap_json(const GapResult& gap) {
  Json parts = Json::object();
  for (const auto& [key, ps] : gap.parts_ps) parts[key] = microseconds(ps);
  return {{"reference", "ideal-overlap"},
          {"bound_by", gap.bound_by},
          {"gap_us", microseconds(gap.gap_ps)},
          {"parts_us", std::move(parts)},
          {"unexplained_share", gap.unexplained_share()}};
}

GapResult gap_of(const Json& json) {
  GapResult gap;
  gap.bound_by = json.at("bound_by").get<std::string>();
  gap.gap_ps = picoseconds(json.at("gap_us").get<double>());
  for (const auto& [key, us] : pairs_of<double>(json.at("parts_us")))
    gap.parts_ps.emplace_back(key, picoseconds(us));
  return gap;
}

Json limits_json(const PhaseLimits& l) {
  Json json{{"tflops", l.tflops},
            {"matrix_share", l.matrix_share},
            {"link_share", l.link_share},
            {"link_idle_cause", l.link_idle_cause},
            {"dram_GBps", l.dram_GBps},
            {"dram_share", l.dram_share},
            {"l2_hit_rate", l.l2_hit_rate ? Json(*l.l2_hit_rate) : Json()},
            {"cus_busy", l.cus_busy},
            {"limited_by", l.limited_by},
            {"limited_share", l.limited_share}};
  if (l.fullest_link.empty()) return json;
  json["fullest_link"] = l.fullest_link;
  json["fullest_link_share"] = l.fullest_link_share;
  return json;
}

PhaseLimits limits_of(const Json& json) {
  PhaseLimits l;
  const auto real = [&](const char* key, double& value) { value = json.at(key).get<double>(); };
  real("tflops", l.tflops);
  real("matrix_share", l.matrix_share);
  real("link_share", l.link_share);
  l.link_idle_cause = json.at("link_idle_cause").get<std::string>();
  real("dram_GBps", l.dram_GBps);
  real("dram_share", l.dram_share);
  if (!json.at("l2_hit_rate").is_null()) l.l2_hit_rate = json.at("l2_hit_rate").get<double>();
  real("cus_busy", l.cus_busy);
  l.limited_by = json.at("limited_by").get<std::string>();
  real("limited_share", l.limited_share);
  l.fullest_link = json.value("fullest_link", "");
  l.fullest_link_share = json.value("fullest_link_share", 0.0);
  return l;
}

// Blocks that every scheme has, if need be empty.
constexpr const char* kTracker = "tracker";

}  // namespace

nlohmann::ordered_json to_json(const SchemeResult& s) {
  Json json{{"time_us", s.time_us},          {"speedup", s.speedup},
            {"phases", object_of(s.phases)}, {"dram_bytes", object_of(s.dram_bytes)},
            {"link_bytes", s.link_bytes},    {kTracker, object_of(s.of(kTracker))}};
  if (s.gap) json["gap"] = gap_json(*s.gap);
  if (!s.no_gap.empty()) json["no_gap"] = s.no_gap;
  for (const auto& [phase, limits] : s.limits) json["limits"][phase] = limits_json(limits);
  Json counters = Json::object();
  for (const auto& [component, values] : s.counters)
    if (component != kTracker) counters[component] = object_of(values);
  if (!counters.empty()) json["counters"] = std::move(counters);
  return json;
}

SchemeResult scheme_from_json(const std::string& name, const nlohmann::ordered_json& json) {
  SchemeResult s;
  s.name = name;
  s.time_us = json.at("time_us").get<double>();
  s.speedup = json.value("speedup", 1.0);
  s.phases = pairs_of<double>(json.at("phases"));
  s.dram_bytes = pairs_of<std::uint64_t>(json.at("dram_bytes"));
  s.link_bytes = json.value("link_bytes", std::uint64_t{0});
  if (const auto tracker = numbers_of(json.value(kTracker, Json::object())); !tracker.empty())
    s.counters.emplace_back(kTracker, tracker);
  if (json.contains("gap")) s.gap = gap_of(json.at("gap"));
  s.no_gap = json.value("no_gap", "");
  const Json limits = json.value("limits", Json::object());
  for (const auto& [phase, of_phase] : limits.items()) s.limits.emplace_back(phase, limits_of(of_phase));
  const Json counters = json.value("counters", Json::object());
  for (const auto& [component, values] : counters.items())
    s.counters.emplace_back(component, numbers_of(values));
  return s;
}

}  // namespace t3sim
