// Communication-aware arbitration (section 4.5):
//  - compute first; communication only when compute has nothing and the DRAM queue holds fewer bursts than a
//  threshold;
//  - communication first once its last issue lies further back than the starvation limit, whatever the
//  threshold;
//  - the threshold is 5, 10, 30 or none (section 6.1.3), given, or chosen by the occupancy seen in the first
//  stage;
//  - from the producer kernel's end on, communication first and without threshold: it is drained.
#pragma once

#include "memctrl/arbitration.h"

namespace t3sim {

class Mca final : public ArbitrationPolicy {
 public:
  Mca(const ArbitrationConfig& config, Tick period);

  ArbitrationChoice choose(const ArbitrationView& view) const override;
  void entered(Stream stream, Tick now) override;
  Tick next_change() const override { return last_communication_ + starvation_limit_; }
  void kernel_started() override;
  void first_stage_done(double compute_occupancy_bursts) override;
  void kernel_ended() override { draining_ = true; }
  std::uint32_t threshold_bursts() const override { return threshold_; }

  // The one mapping for `threshold: auto`. The paper names the thresholds and says "smaller if
  // memory-intensive"; here the same three numbers bound the classes of intensity: a kernel whose own stream
  // keeps 30 bursts or more in the queue gets 5, 10 or more 10, 5 or more 30, fewer no limit.
  static std::uint32_t threshold_for(double compute_occupancy_bursts);

 private:
  std::uint32_t configured_;
  std::uint32_t threshold_;
  Tick starvation_limit_;
  Tick last_communication_ = 0;
  bool draining_ = false;
};

}  // namespace t3sim
