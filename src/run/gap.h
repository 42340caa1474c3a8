// Why a fused run takes longer than the ideal overlap, max(GEMM, collective) + all-gather: the difference in
// parts, from measured waits (docs/gap.md).
//
// Where the GEMM is the longer one, the time of the fused kernel is compared with that of the GEMM alone, by
// what the places for workgroups waited for while the matrix units stood idle; what comes after the kernel's
// end is told apart by the state of the port that was busy longest. Where the collective is the longer one,
// the time of that port is compared with the same port's in the collective alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/number.h"
#include "machine/phase_account.h"
#include "results/results.h"

namespace t3sim {

enum class GapPart : std::uint8_t {
  memory_contention,  // loads, stores and DMA reads that DRAM served later
  cache_bypass,       // the uncached output leaves the L2 to the inputs: a gain
  link,               // stores that waited for the link; packets still to send after the kernel's end
  tracker,            // accesses held up by stores that the Tracker had no room for
  dma,                // the link waited for what the DMA engine was reading
  producer,           // the link waited for the GEMM
  dispatch,           // places without a workgroup; until the first workgroups have something to send
  workgroup_overlap,  // waits that another workgroup of the CU covered by computing: less is a loss
  arrival,            // workgroups that waited for what other GPUs send
  tail,               // after the last packet: latency and the last updates
  kernel_steps,       // gaps between the steps of the collective kernel, which fused runs do not have: a gain
  near_memory_reduction,  // what follows the last packet of the collective kernel, its last reduction: a gain
  other_phases,           // all-gather and what else differs
  unexplained
};
inline constexpr int kGapParts = 14;
std::string_view to_string(GapPart part);

// In ticks x `unit`.
struct GapTicks {
  std::uint64_t unit = 1;
  std::array<std::int64_t, kGapParts> parts{};

  std::int64_t& operator[](GapPart part) { return parts[ordinal(part)]; }
  std::int64_t operator[](GapPart part) const { return parts[ordinal(part)]; }
  std::int64_t sum() const;
};

// `fused` against the GEMM alone, which takes longer than the collective.
GapTicks gap_to_kernel(const PhaseAccount& fused, const PhaseAccount& gemm);
// `fused` against the collective alone, which takes longer than the GEMM.
GapTicks gap_to_collective(const PhaseAccount& fused, const PhaseAccount& collective);

// In picoseconds, so that the parts add up as they are printed. `others`: ticks that the phases around the
// fused one take more than those around the ideal overlap. Throws CheckError when the parts do not add up to
// `gap` ticks.
GapResult gap_result(GapTicks parts, std::int64_t others, std::int64_t gap, const TimeBase& time,
                     const std::string& bound_by);

}  // namespace t3sim
