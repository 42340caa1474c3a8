#include "machine/power.h"

#include <cmath>

#include "base/number.h"

namespace t3sim {

double clock_share(const PowerConfig& power, const PowerUse& use) {
  const double needed = power.matrix_share * (use.zeros ? power.zeros_share : 1) * use.matrix;
  const double allowed = 1 - power.idle_share - power.transfer_share * use.links;
  return needed <= allowed ? 1 : std::sqrt(allowed / needed);
}

bool ends_before_limit(const PowerConfig& power, double seconds) {
  return seconds <= real(power.window_ps) * 1e-12;
}

std::uint64_t stepped_clock(std::uint64_t boost_hz, double share) {
  return static_cast<std::uint64_t>(share * real(boost_hz) / real(kClockStep) + 0.5) * kClockStep;
}

double matrix_use(const GpuConfig& gpu, std::uint64_t boost_hz, double flops, double seconds) {
  return flops / (real(gpu.cus * gpu.matrix_flops_per_cycle) * real(boost_hz)) / seconds;
}

double link_use(const LinkConfig& link, double bytes, double seconds) {
  constexpr double kStore = 128;
  const double payload_Bps = real(link.bandwidth_Bps) * kStore / (kStore + real(link.header_bytes));
  return bytes / payload_Bps / seconds;
}

}  // namespace t3sim
