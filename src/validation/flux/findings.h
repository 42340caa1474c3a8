// What Flux's text says of its figures 4 and 11 to 14, beside ours: the range of each method's efficiency, and who is ahead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "validation/flux/flux_validation.h"

namespace t3sim::flux {

// validation/flux/ranges.csv: efficiencies over gather and scatter and some numbers of rows, in %.
struct Range {
  std::string machine;
  Method method = Method::fused;
  std::uint32_t first_m = 0, last_m = 0;
  double low = 0, high = 0;
  std::optional<double> mean;
};
std::vector<Range> read_ranges(const std::string& path);  // throws InputError

struct Finding {
  std::string what, published, ours;
  std::string verdict;  // hit, miss; beside: nothing is asked of it
};
// Of machines and rows whose cases are all there. Hit: within a range widened by 8 points, means within 12 (on A100 and H800 with
// NVLink; the PCIe mean is not within its own range).
std::vector<Finding> findings_of(const std::vector<Row>& rows, const std::vector<Range>& ranges);
std::string findings_csv(const std::vector<Finding>& findings);
std::string findings_text(const std::vector<Finding>& findings);

}  // namespace t3sim::flux
