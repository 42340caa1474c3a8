#include "validation/measured/goals.h"

#include <array>

namespace t3sim {
namespace {

constexpr std::uint32_t kShortK = 1536;

bool on_h100(const MeasuredCase& c) { return c.machine == "NVIDIA H100"; }

Goal of_kind(CaseKind kind, double pct) {
  return {std::string(to_string(kind)), pct,
          [kind](const MeasuredCase& c) { return c.kind == kind && !on_h100(c); }};
}

// A GEMM of one or two K steps a wave is mostly prologue, epilogue and launch, which are short and known less well.
Goal of_short_gemms() {
  return {"gemm_time K <= 1536", 15, [](const MeasuredCase& c) {
            return c.kind == CaseKind::gemm_time && c.kernel.shape.k <= kShortK && !on_h100(c);
          }};
}

// 7 us, most of it the launch.
Goal of_small_all_reduces() {
  return {"gemv all-reduce alone", 15, [](const MeasuredCase& c) {
            const auto* row = std::get_if<GemvRow>(&c.row);
            return row && row->op == "all_reduce_nccl";
          }};
}

// Of the H100 no value was found on a GEMM of its own.
Goal of_h100(CaseKind kind, double pct) {
  return {std::string(to_string(kind)) + " H100", pct,
          [kind](const MeasuredCase& c) { return c.kind == kind && on_h100(c); }};
}

double h100_pct(CaseKind kind) {
  switch (kind) {
    case CaseKind::gemm_time:
      return 12;
    case CaseKind::gemm_l2_read:
      return 14;
    case CaseKind::gemm_dram_read:
      return 20;
    default:
      return 0;
  }
}

std::vector<Goal> all_goals() {
  constexpr std::array<double, kCaseKinds> kPct{8, 15, 12, 10, 12, 18, 8,  0, 8,  7, 6,  15, 8, 0, 8,
                                                8, 6,  8,  20, 8,  4,  15, 8, 15, 6, 10, 6,  8, 8, 5};
  std::vector<Goal> goals;
  for (std::size_t i = 0; i < kCaseKinds; ++i) {
    const auto kind = static_cast<CaseKind>(i);
    goals.push_back(of_kind(kind, kPct[i]));
    if (kind == CaseKind::gemm_time) goals.push_back(of_short_gemms());
    if (kind == CaseKind::gemv) goals.push_back(of_small_all_reduces());
    goals.push_back(of_h100(kind, h100_pct(kind)));
  }
  return goals;
}

}  // namespace

const std::vector<Goal>& goals() {
  static const std::vector<Goal> kGoals = all_goals();
  return kGoals;
}

}  // namespace t3sim
