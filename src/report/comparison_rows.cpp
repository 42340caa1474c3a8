#include "report/comparison_rows.h"

#include <fmt/format.h>

#include <algorithm>

namespace t3sim::report {
namespace {

using Json = nlohmann::ordered_json;

std::string without(std::string text, std::string_view end) {
  if (text.ends_with(end)) text.resize(text.size() - end.size());
  return text;
}

void add_all(const Json& values, std::string_view group, std::string_view unit, const std::string& before,
             std::vector<Quantity>& out) {
  for (const auto& [key, value] : values.items())
    if (value.is_number())
      out.push_back(
          {std::string(group), before + without(key, "_us"), std::string(unit), value.get<double>()});
}

// What people call a number of results.json's "limits", and its unit.
std::pair<std::string, std::string> spoken_limit(const std::string& key) {
  if (key == "tflops") return {"rate", "TFLOP/s"};
  if (key == "dram_GBps") return {"DRAM rate", "GB/s"};
  if (key == "dram_share") return {"DRAM", "share"};
  if (key == "cus_busy") return {"CUs busy", "CUs"};
  if (key == "l2_hit_rate") return {"L2 hits", "share"};
  return {without(key, "_share"), "share"};
}

void add_limits(const Json& limits, std::vector<Quantity>& out) {
  for (const auto& [phase, of_phase] : limits.items())
    for (const auto& [key, value] : of_phase.items())
      if (value.is_number()) {
        const auto [name, unit] = spoken_limit(key);
        out.push_back({"utilisation", phase + " " + name, unit, value.get<double>()});
      }
}

}  // namespace

std::vector<Quantity> quantities_of(const Json& scheme) {
  std::vector<Quantity> out;
  out.push_back({"time", "total", "us", scheme.at("time_us").get<double>()});
  out.push_back({"time", "speed-up", "x", scheme.value("speedup", 1.0)});
  add_all(scheme.at("phases"), "time", "us", "", out);
  add_all(scheme.at("dram_bytes"), "bytes", "bytes", "dram ", out);
  out.push_back({"bytes", "sent", "bytes", scheme.value("link_bytes", 0.0)});
  if (const auto gap = scheme.find("gap"); gap != scheme.end()) {
    out.push_back({"gap", "in all", "us", gap->at("gap_us").get<double>()});
    add_all(gap->at("parts_us"), "gap", "us", "", out);
  }
  add_limits(scheme.value("limits", Json::object()), out);
  add_all(scheme.value("tracker", Json::object()), "counters", "1", "tracker ", out);
  const Json counters = scheme.value("counters", Json::object());
  for (const auto& [component, values] : counters.items())
    add_all(values, "counters", "1", component + " ", out);
  return out;
}

Json changes_of(const Json& values, bool difference) {
  Json changes = Json::array();
  for (const Json& value : values) {
    const bool known = value.is_number() && values[0].is_number() && (difference || values[0] != 0.0);
    if (!known)
      changes.push_back(nullptr);
    else if (difference)
      changes.push_back(value.get<double>() - values[0].get<double>());
    else
      changes.push_back(value.get<double>() / values[0].get<double>() - 1);
  }
  return changes;
}

void ComparisonRows::add(std::size_t column, const std::string& scheme, const Quantity& q) {
  row_of(scheme, q)["values"][column] = q.value;
}

// Parts of the gap may be next to nothing, or negative: what matters is by how much they differ.
Json ComparisonRows::finish() {
  for (Json& row : rows_) row["change"] = changes_of(row["values"], row["group"] == "gap");
  return std::move(rows_);
}

Json& ComparisonRows::row_of(const std::string& scheme, const Quantity& q) {
  const auto it = std::ranges::find_if(rows_, [&](const Json& row) {
    return row["scheme"] == scheme && row["group"] == q.group && row["name"] == q.name;
  });
  if (it != rows_.end()) return *it;
  rows_.push_back({{"scheme", scheme}, {"group", q.group}, {"name", q.name}, {"unit", q.unit}});
  rows_.back()["values"] = Json(std::vector<Json>(columns_));
  return rows_.back();
}

std::string workload_text(const Json& w) {
  return fmt::format("{}: M {} x N {} x K {} on {} GPUs", w.value("name", ""), w.value("m", 0),
                     w.value("n", 0), w.value("k", 0), w.value("gpus", 0));
}

}  // namespace t3sim::report
