// Numbers of results side by side: details of comparison.h.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace t3sim::report {

struct Quantity {
  std::string group, name, unit;
  double value = 0;
};

// All numbers of a scheme in results.json.
std::vector<Quantity> quantities_of(const nlohmann::ordered_json& scheme);

// Each value against the first: as a part of it, or the difference; null where it cannot be said.
nlohmann::ordered_json changes_of(const nlohmann::ordered_json& values, bool difference);

// "rows" of comparison.h: by scheme and quantity, in the order in which results name them.
class ComparisonRows {
 public:
  explicit ComparisonRows(std::size_t columns) : columns_(columns) {}

  void add(std::size_t column, const std::string& scheme, const Quantity& q);
  nlohmann::ordered_json finish();

 private:
  nlohmann::ordered_json& row_of(const std::string& scheme, const Quantity& q);

  std::size_t columns_;
  nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
};

// "mine: M 512 x N 256 x K 64 on 4 GPUs", of the workload in results.json.
std::string workload_text(const nlohmann::ordered_json& workload);

}  // namespace t3sim::report
