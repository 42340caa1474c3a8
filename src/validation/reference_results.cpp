#include "validation/reference_results.h"

#include <algorithm>

#include "base/csv.h"

namespace t3sim {

ReferenceResults::ReferenceResults(const std::string& path) {
  CsvTable table{std::filesystem::path(path)};
  table.expect("simulator,workload,metric,value");
  while (table.next_row()) {
    const std::string &workload = table.text(1), &metric = table.text(2);
    const double v = table.real(3);
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
