#include "memctrl/arbitration/mca.h"

namespace t3sim {

Mca::Mca(const ArbitrationConfig& config, Tick period)
    : configured_(config.threshold_bursts), starvation_limit_(config.starvation_limit_cycles * period) {
  kernel_started();
}

void Mca::kernel_started() {
  draining_ = false;
  // Until the first stage has been seen nothing is known to protect the kernel from.
  threshold_ =
      configured_ == ArbitrationConfig::kAutoThreshold ? ArbitrationConfig::kNoThreshold : configured_;
}

std::uint32_t Mca::threshold_for(double compute_occupancy_bursts) {
  if (compute_occupancy_bursts >= 30) return 5;
  if (compute_occupancy_bursts >= 10) return 10;
  if (compute_occupancy_bursts >= 5) return 30;
  return ArbitrationConfig::kNoThreshold;
}

void Mca::first_stage_done(double compute_occupancy_bursts) {
  if (configured_ == ArbitrationConfig::kAutoThreshold) threshold_ = threshold_for(compute_occupancy_bursts);
}

ArbitrationChoice Mca::choose(const ArbitrationView& view) const {
  using First = ArbitrationChoice::First;
  const bool starved = view.now >= last_communication_ + starvation_limit_;
  if (view.communication_waits && (draining_ || starved)) return {First::communication, true};
  const bool below = view.occupancy_bursts < threshold_;
  if (view.compute_waits) return {First::compute, below};
  return {below ? First::communication : First::nobody, false};
}

void Mca::entered(Stream stream, Tick now) {
  if (stream == Stream::communication) last_communication_ = now;
}

}  // namespace t3sim
