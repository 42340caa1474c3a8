#include "validation/measured/estimate/interference_estimate.h"

#include <algorithm>
#include <cmath>

#include "validation/measured/estimate/gemm_model.h"

namespace t3sim {
namespace {

double gather_s(const ChannelMachine& machine, const InterferenceRow& row) {
  const std::uint64_t array = row.comm_bytes * row.world / (row.world - 1);
  return collective_seconds(machine, CollectiveOp::all_gather, row.world, array, 0);
}

// How far apart GPUs are that do the same, to either side of the mean.
constexpr double kSpread = 0.05;
constexpr int kSpreadSteps = 4;

constexpr double kAlways = 3600;  // seconds

// A GEMM keeps the L2 busy, which a CU's window of loads cannot hide, and its power lowers the clock of all
// CUs.
double gather_beside_s(const MeasuredMachine& machine, const InterferenceRow& row, double clock_share) {
  ChannelMachine busy = machine.channels();
  busy.clock_hz *= clock_share;
  busy.load_latency_s *= machine.config.estimate.busy_latency / clock_share;
  return gather_s(busy, row);
}

// What happens from one collective's start to the next one's.
struct Cycle {
  double seconds = 0, gemms = 0;
  Cycle& operator+=(const Cycle& o) {
    seconds += o.seconds;
    gemms += o.gemms;
    return *this;
  }
};

// A collective holds the CUs of its channels from its start, which is that of a GEMM: a persistent kernel
// gives no CU up before its end, so the next collective starts when that GEMM ends in which it could have.
// One that is not persistent lets it in at once.
Cycle cycle(const MeasuredMachine& machine, const LibraryGemm& kernel, const GemmSurroundings& beside,
            double held_s, double launch_s) {
  GemmSurroundings now = beside;
  now.held_s = kAlways;
  const double held_gemm_s = gemm_timing(machine, kernel, now).seconds;
  const auto seconds_after = [&](double since_start) {
    now.held_s = std::max(0.0, held_s - since_start);
    if (now.held_s == 0) now.held_cus = 0, now.link_Bps = 0;
    return gemm_timing(machine, kernel, now).seconds;
  };
  if (!kernel.persistent) return {held_s + launch_s, held_s / held_gemm_s + launch_s / seconds_after(held_s)};
  Cycle c;
  c.gemms = std::floor(held_s / held_gemm_s);
  for (c.seconds = c.gemms * held_gemm_s; c.seconds < held_s + launch_s; ++c.gemms)
    c.seconds += seconds_after(c.seconds);
  return c;
}

SlowDown by_channels(const MeasuredMachine& machine, const LibraryGemm& kernel, const InterferenceRow& row) {
  const double launch_s = static_cast<double>(machine.config.execution.channel.launch_ps) * 1e-12;
  const double gemm = gemm_timing(machine, kernel).seconds, transfer = gather_s(machine.channels(), row);
  GemmSurroundings beside;
  beside.held_cus = collective_channels(machine.channels(), CollectiveOp::all_gather, 0);
  beside.clock_share = 1;
  Cycle mean;
  for (int i = 0; i < 12; ++i) {  // the clock sets the pace, and the pace the clock
    const double held_s = gather_beside_s(machine, row, beside.clock_share) - launch_s;
    beside.link_Bps = static_cast<double>(row.comm_bytes) / held_s;
    mean = {};
    for (int at = -kSpreadSteps; at <= kSpreadSteps; ++at)
      mean += cycle(machine, kernel, beside, held_s * (1 + kSpread * at / kSpreadSteps), launch_s);
    mean.seconds /= 2 * kSpreadSteps + 1;
    mean.gemms /= 2 * kSpreadSteps + 1;
    // The transfers that are left when the GEMMs are done let the matrix units rest.
    const double rest = std::max(0.0, gemm - transfer / mean.gemms);
    const double a_gemm = mean.seconds / mean.gemms + rest;
    const double rate = static_cast<double>(row.comm_bytes) * gemm / transfer / a_gemm;
    beside.clock_share =
        (beside.clock_share + clock_at(machine, matrix_busy(machine, kernel, a_gemm), rate)) / 2;
  }
  return {mean.seconds / mean.gemms / gemm - 1, (mean.seconds - transfer) / (mean.gemms * gemm)};
}

// A copy engine has enough under way to hide what a busy L2 adds. The copies end first, and the rest of the
// GEMMs is alone.
SlowDown by_copies(const MeasuredMachine& machine, const LibraryGemm& kernel) {
  GemmSurroundings beside;
  beside.link_Bps = machine.copy_link_Bps();
  return {1 - gemm_timing(machine, kernel).seconds / gemm_timing(machine, kernel, beside).seconds, 0};
}

}  // namespace

SlowDown slow_down(const MeasuredMachine& machine, const LibraryGemm& kernel, const InterferenceRow& row) {
  return row.kind == "copy_engine" ? by_copies(machine, kernel) : by_channels(machine, kernel, row);
}

}  // namespace t3sim
