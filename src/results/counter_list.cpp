#include "results/counter_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "base/error.h"
#include "base/nearest.h"
#include "base/number.h"
#include "config/library.h"

namespace t3sim {
namespace {

constexpr std::string_view kMany = "[...]";

std::string between(const std::string& line, std::string_view begin, std::string_view end) {
  const std::size_t from = line.find(begin) + begin.size();
  return line.substr(from, line.find(end, from) - from);
}

// The tables of docs/counters.md: "## `kind`", then "| `name` | unit | meaning |".
std::vector<CounterInfo> read_list() {
  std::vector<CounterInfo> list;
  std::istringstream page{std::string(config::library::find("<t3sim>/docs/counters.md")->text)};
  std::string kind;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## `")) kind = between(line, "`", "`");
    if (!line.starts_with("| `")) continue;
    const std::size_t unit = line.find(" | ") + 3, meaning = line.find(" | ", unit) + 3;
    list.push_back({kind, between(line, "`", "`"), line.substr(unit, meaning - 3 - unit),
                    line.substr(meaning, line.rfind(" |") - meaning)});
  }
  return list;
}

bool has(const CounterInfo& counter, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words,
                             [&](std::string_view w) { return counter.name.find(w) != std::string::npos; });
}

bool is_peak(const CounterInfo& c) { return has(c, {"peak", "_max"}); }
bool is_mean(const CounterInfo& c) { return has(c, {"mean", "_p50", "_p99"}); }
bool is_amount(const CounterInfo& c) { return c.unit == "bytes" || c.unit == "1"; }

const CounterInfo* find(const std::string& kind, const std::string& name) {
  static const auto places = [] {
    std::map<std::pair<std::string, std::string>, const CounterInfo*> map;
    for (const CounterInfo& counter : counter_list()) map[{counter.component, counter.name}] = &counter;
    return map;
  }();
  const auto it = places.find({kind, name});
  return it == places.end() ? nullptr : it->second;
}

// "fused (mca)" is a phase "fused".
bool is_phase(std::string_view phase, std::string_view wanted) {
  return wanted.empty() || phase == wanted || phase.substr(0, phase.find(" (")) == wanted;
}

double folded(Fold fold, std::size_t n, double sum, double most) {
  switch (fold) {
    case Fold::sum:
      return sum;
    case Fold::mean:
      return sum / real(n);
    case Fold::most:
      return most;
  }
  return sum;
}

}  // namespace

std::string CounterInfo::spoken() const {
  const bool many = component.ends_with(kMany);
  return component.substr(0, component.size() - (many ? kMany.size() : 0)) + "." + name;
}

const std::vector<CounterInfo>& counter_list() {
  static const std::vector<CounterInfo> list = read_list();
  return list;
}

std::string kind_of(std::string_view component) {
  if (const std::size_t bracket = component.find('['); bracket != component.npos)
    return std::string(component.substr(0, bracket)) + std::string(kMany);
  const std::size_t end = component.find_last_not_of("0123456789") + 1;
  return std::string(component.substr(0, end)) + (end < component.size() ? std::string(kMany) : "");
}

Fold fold_of_parts(const CounterInfo& counter) {
  if (is_peak(counter)) return Fold::most;
  return is_amount(counter) && !is_mean(counter) ? Fold::sum : Fold::mean;
}

Fold fold_of_phases(const CounterInfo& counter) {
  if (is_peak(counter)) return Fold::most;
  const bool adds_up = is_amount(counter) || counter.unit == "us" || counter.unit == "cycles";
  return adds_up && !is_mean(counter) ? Fold::sum : Fold::mean;
}

const CounterInfo& counter_named(std::string_view where, const std::string& spoken) {
  std::vector<std::string> names;
  for (const CounterInfo& counter : counter_list()) {
    if (counter.spoken() == spoken) return counter;
    names.push_back(counter.spoken());
  }
  const std::string near = nearest(spoken, names);
  throw InputError(
      fmt::format("{}: unknown counter \"{}\"{}", where, spoken,
                  near.empty() ? "; t3sim stats --list has all" : fmt::format("; did you mean {}?", near)));
}

double FoldedStat::value() const { return folded(fold_of_parts(*counter), rows, sum, most); }

std::vector<FoldedStat> fold(std::span<const StatRow> rows) {
  std::vector<FoldedStat> stats;
  std::map<std::tuple<std::string, std::string, const CounterInfo*>, std::size_t> places;
  for (const StatRow& row : rows) {
    const CounterInfo* counter = find(kind_of(row.component), row.name);
    if (!counter) continue;
    const double value = std::visit([](auto v) { return static_cast<double>(v); }, row.value);
    const auto [it, is_new] = places.emplace(std::tuple(row.scheme, row.phase, counter), stats.size());
    if (is_new) stats.push_back({row.scheme, row.phase, counter, 0, 0, value, value});
    FoldedStat& stat = stats[it->second];
    ++stat.rows;
    stat.sum += value;
    stat.least = std::min(stat.least, value);
    stat.most = std::max(stat.most, value);
  }
  return stats;
}

std::optional<double> value_of(const std::vector<FoldedStat>& stats, const CounterInfo& counter,
                               std::string_view scheme, std::string_view phase) {
  std::size_t phases = 0;
  double sum = 0, most = 0;
  for (const FoldedStat& stat : stats) {
    if (stat.counter != &counter || stat.scheme != scheme || !is_phase(stat.phase, phase)) continue;
    most = phases == 0 ? stat.value() : std::max(most, stat.value());
    sum += stat.value();
    ++phases;
  }
  if (phases == 0) return std::nullopt;
  return folded(fold_of_phases(counter), phases, sum, most);
}

}  // namespace t3sim
