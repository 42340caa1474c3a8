// What the machine is to reach, for each kind of rows and, where they differ, for each machine and part of a kind.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "validation/measured/cases.h"

namespace t3sim {

struct Goal {
  std::string name;  // "gemm_time", "gemm_time K <= 1536", "gemm_time H100"
  double pct = 0;    // allowed, per cent of the measured value, or points; 0: reported
  std::function<bool(const MeasuredCase&)> covers;
};

// Of all rows; a goal that covers none of a validation's rows is left out of its tables.
const std::vector<Goal>& goals();

}  // namespace t3sim
