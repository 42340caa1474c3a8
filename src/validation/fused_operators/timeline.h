// Figure 11 of the fused operators' paper (Punniyamurthy et al., arXiv 2305.06942, section IV-B): when clusters of persistent
// workgroups have slices of bags put, and when those that stay are pooled.
#pragma once

#include <string>
#include <vector>

namespace t3sim::fused_operators {

inline constexpr int kTimelineFigure = 11;

struct Timeline {
  std::string
      csv;  // "gpu,cluster,slice,us", a line for each slice: "put", when its put begins, or "own", when it is pooled
  std::string text;  // from when to when, for people
};

// Of the program of a file (validation/fused-operators/figure11.yaml) on mi210-ib2. Throws InputError.
Timeline timeline_of(const std::string& program_file, const std::vector<std::string>& overrides);

}  // namespace t3sim::fused_operators
