// results.csv of the reference memory simulators: simulator,workload,metric,value.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace t3sim {

struct Span {
  double lowest = 0;
  double highest = 0;
};

class ReferenceResults {
 public:
  // Throws InputError "file:line: ...".
  explicit ReferenceResults(const std::string& path);

  // Workloads in the order in which they first appear.
  const std::vector<std::string>& workloads() const { return workloads_; }
  // Smallest and largest value that any simulator gave.
  std::optional<Span> span(const std::string& workload, const std::string& metric) const;

 private:
  std::vector<std::string> workloads_;
  std::map<std::pair<std::string, std::string>, Span> spans_;
};

}  // namespace t3sim
