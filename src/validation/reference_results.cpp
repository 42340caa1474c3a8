#include "validation/reference_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include "base/error.h"

namespace t3sim {

namespace {

double parse_value(const std::string& text, const std::string& where) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw InputError(fmt::format("{}: value \"{}\" is no number", where, text));
  return value;
}

}  // namespace

ReferenceResults::ReferenceResults(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw InputError(fmt::format("{}: cannot be opened", path));
  std::string line;
  std::getline(file, line);
  if (line != "simulator,workload,metric,value")
    throw InputError(fmt::format("{}:1: the columns must be simulator,workload,metric,value", path));
  for (unsigned number = 2; std::getline(file, line); ++number) {
    std::istringstream fields(line);
    std::string simulator, workload, metric, value;
    const std::string where = fmt::format("{}:{}", path, number);
    if (!std::getline(fields, simulator, ',') || !std::getline(fields, workload, ',') ||
        !std::getline(fields, metric, ',') || !std::getline(fields, value))
      throw InputError(fmt::format("{}: four columns are needed", where));
    const double v = parse_value(value, where);
    if (std::find(workloads_.begin(), workloads_.end(), workload) == workloads_.end())
      workloads_.push_back(workload);
    const auto [span, fresh] = spans_.insert({{workload, metric}, {v, v}});
    if (fresh) continue;
    span->second.lowest = std::min(span->second.lowest, v);
    span->second.highest = std::max(span->second.highest, v);
  }
}

std::optional<Span> ReferenceResults::span(const std::string& workload, const std::string& metric) const {
  const auto found = spans_.find({workload, metric});
  if (found == spans_.end()) return std::nullopt;
  return found->second;
}

}  // namespace t3sim
