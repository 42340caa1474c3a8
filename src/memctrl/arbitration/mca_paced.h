// Not of the paper: MCA (section 4.5) that keeps communication at the pace of the links.
//
// MCA takes the producer kernel for the critical one. Where reduce-scatter takes as long as the kernel, what
// it holds back is exposed after the kernel's end. Here communication has a right to one line every
// `pace_cycles`, which is what the links bring and take; up to kDepth lines of that right are saved while it
// is not used. Beyond it the paper's rules hold, so bursts still wait.
#pragma once

#include <algorithm>

#include "memctrl/arbitration/mca.h"

namespace t3sim {

class McaPaced final : public ArbitrationPolicy {
 public:
  McaPaced(const ArbitrationConfig& config, Tick period)
      : mca_(config, period), pace_(config.pace_cycles * period) {}

  ArbitrationChoice choose(const ArbitrationView& view) const override {
    if (view.communication_waits && view.now >= due_) return {ArbitrationChoice::First::communication, true};
    return mca_.choose(view);
  }
  void entered(Stream stream, Tick now) override {
    mca_.entered(stream, now);
    if (stream != Stream::communication) return;
    const Tick saved = kDepth * pace_;
    due_ = std::max(due_, now > saved ? now - saved : 0) + pace_;
  }
  Tick next_change() const override { return std::min(due_, mca_.next_change()); }
  void kernel_started() override { mca_.kernel_started(); }
  void first_stage_done(double compute_occupancy_bursts) override {
    mca_.first_stage_done(compute_occupancy_bursts);
  }
  void kernel_ended() override { mca_.kernel_ended(); }
  std::uint32_t threshold_bursts() const override { return mca_.threshold_bursts(); }

 private:
  static constexpr Tick kDepth = 8;  // lines
  Mca mca_;
  Tick pace_;
  Tick due_ = 0;  // of the next line
};

}  // namespace t3sim
