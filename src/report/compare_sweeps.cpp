#include "report/compare_sweeps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/number.h"
#include "report/run_data.h"
#include "sweep/keys.h"
#include "sweep/tables.h"

namespace t3sim::report {
namespace {

using Json = nlohmann::ordered_json;
using Times = std::vector<std::optional<double>>;  // by sweep

// One sweep: its plan, and the times of each point that is done.
struct Loaded {
  explicit Loaded(const std::string& directory)
      : store(sweep::Store::open(directory)), plan(store.plan().value()), results(store, plan) {
    if (plan.points.empty()) throw InputError(fmt::format("compare: {}: has no points", directory));
    results.refresh();
  }
  sweep::Store store;
  sweep::Plan plan;
  sweep::Results results;
};

// Axes by name: the order in which sweeps name theirs does not matter.
std::map<std::string, std::string> axes_of(const sweep::Plan& plan, const sweep::Point& point) {
  std::map<std::string, std::string> axes;
  for (std::size_t i = 0; i < plan.columns.size(); ++i) axes[plan.columns[i].name] = point.values[i];
  return axes;
}

struct Place {
  std::map<std::string, std::string> axes;
  std::string scheme;
  auto operator<=>(const Place&) const = default;
};

// Rows in the order in which sweeps name them.
struct SweepRows {
  std::map<Place, std::size_t> places;
  std::vector<std::pair<Place, Times>> rows;

  Times& at(const Place& place, std::size_t sweeps) {
    const auto [it, is_new] = places.emplace(place, rows.size());
    if (is_new) rows.emplace_back(place, Times(sweeps));
    return rows[it->second].second;
  }
};

SweepRows rows_of(const std::vector<Loaded>& sweeps) {
  SweepRows rows;
  for (std::size_t s = 0; s < sweeps.size(); ++s)
    for (const sweep::Point& point : sweeps[s].plan.points) {
      if (!sweeps[s].results.done(point.index)) continue;
      for (const SchemeResult& scheme : sweeps[s].results.of(point.index).schemes)
        rows.at({axes_of(sweeps[s].plan, point), scheme.name}, sweeps.size())[s] = scheme.time_us;
    }
  return rows;
}

bool complete(const Times& times) {
  return std::ranges::all_of(times, [](const auto& t) { return t.has_value(); });
}

// Points of each sweep that another one lacks.
Json point_counts(const SweepRows& rows, std::size_t sweeps) {
  std::map<std::map<std::string, std::string>, std::vector<bool>> has;
  for (const auto& [place, times] : rows.rows) {
    auto& in = has.try_emplace(place.axes, sweeps, false).first->second;
    for (std::size_t s = 0; s < sweeps; ++s) in[s] = in[s] || times[s];
  }
  std::size_t common = 0;
  std::vector<std::size_t> only(sweeps);
  for (const auto& [axes, in] : has)
    if (std::ranges::count(in, true) == narrow<std::ptrdiff_t>(sweeps))
      ++common;
    else
      for (std::size_t s = 0; s < sweeps; ++s) only[s] += in[s];
  return {{"common", common}, {"only", only}};
}

// Times over those of the first sweep, at common points.
class Ratios {
 public:
  explicit Ratios(std::size_t sweeps) : logs_(sweeps), least_(sweeps, 1e300), most_(sweeps, 0) {}

  void add(const Times& times) {
    ++points_;
    for (std::size_t s = 0; s < times.size(); ++s) {
      const double ratio = *times[s] / *times[0];
      logs_[s] += std::log(ratio);
      least_[s] = std::min(least_[s], ratio);
      most_[s] = std::max(most_[s], ratio);
    }
  }
  Json json(const std::string& scheme) const {
    Json mean = Json::array();
    for (double log : logs_) mean.push_back(std::exp(log / real(points_)));
    return {{"scheme", scheme}, {"points", points_}, {"mean", mean}, {"least", least_}, {"most", most_}};
  }

 private:
  std::size_t points_ = 0;
  std::vector<double> logs_, least_, most_;
};

Json by_scheme(const SweepRows& rows, std::size_t sweeps) {
  std::vector<std::pair<std::string, Ratios>> all;
  for (const auto& [place, times] : rows.rows) {
    if (!complete(times)) continue;
    auto it = std::ranges::find(all, place.scheme, &std::pair<std::string, Ratios>::first);
    if (it == all.end()) it = all.insert(it, {place.scheme, Ratios(sweeps)});
    it->second.add(times);
  }
  Json out = Json::array();
  for (const auto& [scheme, ratios] : all) out.push_back(ratios.json(scheme));
  return out;
}

Json json_of(const Times& times) {
  Json out = Json::array();
  for (const auto& time : times) out.push_back(time ? Json(*time) : Json());
  return out;
}

void check_axes(const std::vector<Loaded>& sweeps, const std::vector<std::string>& directories) {
  const auto names = [](const sweep::Plan& plan) {
    std::vector<std::string> all;
    for (const sweep::PlanColumn& column : plan.columns) all.push_back(column.name);
    std::ranges::sort(all);
    return all;
  };
  for (std::size_t s = 1; s < sweeps.size(); ++s)
    if (names(sweeps[s].plan) != names(sweeps[0].plan))
      throw InputError(fmt::format("compare: {} has the axes {}, and {} has {}: nothing to compare",
                                   directories[s], fmt::join(names(sweeps[s].plan), ", "), directories[0],
                                   fmt::join(names(sweeps[0].plan), ", ")));
}

// What points differ in says nothing about their sweeps.
bool is_axis(const sweep::Plan& plan, const std::string& key) {
  return std::ranges::count(plan.columns, sweep::column_name(key), &sweep::PlanColumn::name) > 0;
}

}  // namespace

nlohmann::ordered_json compare_sweeps(const std::vector<std::string>& directories) {
  std::vector<Loaded> sweeps;
  sweeps.reserve(directories.size());  // results know where their plans are
  for (const std::string& directory : directories) sweeps.emplace_back(directory);
  check_axes(sweeps, directories);
  std::vector<Json> configs;
  for (const Loaded& sweep : sweeps)
    configs.push_back(config_by_key(sweep.plan.points.front().config, sweep.store.file("plan.jsonl")));
  const SweepRows rows = rows_of(sweeps);
  Json data{{"kind", "sweep comparison"}, {"schema", 1}, {"names", directories}};
  data["config"] = Json::array();
  for (Json& row : differing_keys(configs))
    if (!is_axis(sweeps[0].plan, row["key"])) data["config"].push_back(std::move(row));
  data["axes"] = Json::array();
  for (const sweep::PlanColumn& column : sweeps[0].plan.columns) data["axes"].push_back(column.name);
  data["points"] = point_counts(rows, sweeps.size());
  data["schemes"] = by_scheme(rows, sweeps.size());
  data["rows"] = Json::array();
  for (const auto& [place, times] : rows.rows)
    data["rows"].push_back({{"axes", place.axes}, {"scheme", place.scheme}, {"time_us", json_of(times)}});
  return data;
}

}  // namespace t3sim::report
