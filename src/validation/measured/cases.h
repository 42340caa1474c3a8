// Measured quantities of one kind each, with ours beside them.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "validation/measured/gemm_kernel.h"
#include "validation/measured/machine.h"
#include "validation/measured/rows.h"

namespace t3sim {

enum class CaseKind : std::uint8_t {
  ring_collectives_large,  // 4 MiB and up
  ring_collectives_small,
  all_to_all,
  gemm_time,
  gemm_l2_read,
  gemm_dram_read,
  sequential,
  two_streams,
  fused_store,
  interference,
  copies_large,  // 1 MiB and up
  copies_small,
  copies_2d,
  copies_p2p,  // of p2p.csv, beside them: one call at a time, no target
  ag_gemm,     // all-gather + GEMM by Flux's methods, and what they are held against
  ag_gemm_efficiency,
  dil_rows,          // GEMMs in pieces over the whole: of rows,
  dil_cols,          // of K,
  dil_cols64,        // of K, 64 pieces
  ficco_schedules,   // speed-up over serial
  cil_copy,          // GEMMs slowed by copy engines,
  cil_nccl,          // by NCCL
  embedding,         // bags of large tables, uniform; with and without their all-to-all
  embedding_cached,  // Zipf, or small tables
  embedding_saving,
  gemv,  // and its all-reduce
  gemv_saving,
  medium_grained,      // PyTorch's GEMM + reduce-scatter in pieces
  overlap_efficiency,  // of GEMM + reduce-scatter: tiles stored to the owner, in pieces, on two streams
  gemm_a2a_saving,     // of tiles stored to the owner over one after the other
};
inline constexpr std::size_t kCaseKinds = 30;
std::string_view to_string(CaseKind kind);

// Slow-downs and efficiencies, in per cent: their errors are differences, in points.
bool in_points(CaseKind kind);
// Kinds of which there is no estimate, only runs of programs; a row may take minutes.
bool only_simulated(CaseKind kind);
// Throws InputError for an unknown name.
CaseKind case_kind(std::string_view name);

struct MeasuredCase {
  CaseKind kind;
  std::string id;       // what was measured: the same for the same row in any file
  std::string reading;  // the id of the measurement that this was worked out of; empty: its own
  std::string unit;     // "us", "MB", "x" (a ratio of times), "%" (a slow-down, an efficiency)
  double measured = 0;
  double ours = 0;
  MeasuredRow row;
  std::string quantity;      // of a row that measures several
  LibraryGemm kernel;        // of rows with a GEMM
  std::string machine;       // gpu.name of the one that it is held against, once that is known
  bool calibration = false;  // may have been used to choose the machine's values

  const RowPlace& place() const;
  // max(ours / measured, measured / ours) - 1; in points, the difference. In per
  // cent.
  double error_pct() const;
};

// Why rows are not predicted, and how many.
using LeftOut = std::map<std::string, std::size_t>;

// What of a row is predicted. A row may give several cases, or none: then it is counted in `left_out`.
// `names`: the kernels that rows of GEMM traffic name.
void add_cases(const MeasuredRow& row, const KernelNames& names, std::vector<MeasuredCase>& cases,
               LeftOut& left_out);

// Half of the rows, by a hash of their identity: those a calibration may use. All cases of a measurement are in the same half.
bool in_calibration_half(std::string_view id);
bool in_calibration_half(const MeasuredCase& c);

}  // namespace t3sim
