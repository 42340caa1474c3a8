#include "validation/measured/cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "base/nearest.h"
#include "validation/measured/row_cases.h"

namespace t3sim {

namespace {

constexpr std::array<std::string_view, kCaseKinds> kKinds{"ring_collectives_large",
                                                          "ring_collectives_small",
                                                          "all_to_all",
                                                          "gemm_time",
                                                          "gemm_l2_read",
                                                          "gemm_dram_read",
                                                          "sequential",
                                                          "two_streams",
                                                          "fused_store",
                                                          "interference",
                                                          "copies_large",
                                                          "copies_small",
                                                          "copies_2d",
                                                          "copies_p2p",
                                                          "ag_gemm",
                                                          "ag_gemm_efficiency",
                                                          "dil_rows",
                                                          "dil_cols",
                                                          "dil_cols64",
                                                          "ficco_schedules",
                                                          "cil_copy",
                                                          "cil_nccl",
                                                          "embedding",
                                                          "embedding_cached",
                                                          "embedding_saving",
                                                          "gemv",
                                                          "gemv_saving",
                                                          "medium_grained",
                                                          "overlap_efficiency",
                                                          "gemm_a2a_saving"};

}  // namespace

std::string_view to_string(CaseKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

CaseKind case_kind(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name);
  if (found != kKinds.end()) return static_cast<CaseKind>(found - kKinds.begin());
  const std::string near = nearest(name, {kKinds.begin(), kKinds.end()});
  throw InputError(fmt::format("unknown kind of rows \"{}\"{}; allowed: {}", name,
                               near.empty() ? "" : fmt::format(", did you mean \"{}\"?", near),
                               fmt::join(kKinds, ", ")));
}

bool in_points(CaseKind kind) {
  return kind == CaseKind::interference || kind == CaseKind::ag_gemm_efficiency ||
         kind == CaseKind::cil_copy || kind == CaseKind::cil_nccl || kind == CaseKind::embedding_saving ||
         kind == CaseKind::gemv_saving || kind == CaseKind::overlap_efficiency ||
         kind == CaseKind::gemm_a2a_saving;
}

bool only_simulated(CaseKind kind) { return kind >= CaseKind::ag_gemm; }

const RowPlace& MeasuredCase::place() const {
  return std::visit([](const auto& r) -> const RowPlace& { return r.place; }, row);
}

double MeasuredCase::error_pct() const {
  if (in_points(kind)) return std::abs(ours - measured);
  return 100 * (std::max(ours / measured, measured / ours) - 1);
}

void add_cases(const MeasuredRow& row, const KernelNames& names, std::vector<MeasuredCase>& cases,
               LeftOut& left_out) {
  std::visit([&](const auto& r) { cases_of(r, {names, cases, left_out}); }, row);
}

bool in_calibration_half(std::string_view id) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a, then mixed, as the identities differ in a few letters
  for (const char c : id) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
  return (hash >> 63) == 0;
}

bool in_calibration_half(const MeasuredCase& c) {
  return in_calibration_half(c.reading.empty() ? c.id : c.reading);
}

}  // namespace t3sim
