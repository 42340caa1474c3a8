// Section 4.5 a, b: alternate between the streams; if the one whose turn it is has nothing, take the other.
#pragma once

#include "memctrl/arbitration.h"

namespace t3sim {

class RoundRobin final : public ArbitrationPolicy {
 public:
  ArbitrationChoice choose(const ArbitrationView& view) const override {
    const bool compute = view.compute_waits && (last_ == Stream::communication || !view.communication_waits);
    return {compute ? ArbitrationChoice::First::compute : ArbitrationChoice::First::communication, true};
  }
  void entered(Stream stream, Tick) override { last_ = stream; }

 private:
  Stream last_ = Stream::communication;
};

}  // namespace t3sim
