// Section 4.5, what it calls insufficient: compute always first, communication whenever compute has nothing.
#pragma once

#include "memctrl/arbitration.h"

namespace t3sim {

class ComputeFirst final : public ArbitrationPolicy {
 public:
  ArbitrationChoice choose(const ArbitrationView& view) const override {
    return {view.compute_waits ? ArbitrationChoice::First::compute : ArbitrationChoice::First::communication,
            true};
  }
  void entered(Stream, Tick) override {}
};

}  // namespace t3sim
