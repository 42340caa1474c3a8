// Which stream's request enters the DRAM queue next (section 4.5): the interface. One file a policy in
// arbitration/.
#pragma once

#include <cstdint>
#include <memory>

#include "memctrl/config.h"
#include "sim/request.h"
#include "sim/time.h"

namespace t3sim {

// What a policy may look at. A stream waits when a request of its is at the head of a port; whether the DRAM
// queue has room for it is the channel's business.
struct ArbitrationView {
  Tick now = 0;
  bool compute_waits = false;
  bool communication_waits = false;
  std::uint32_t occupancy_bursts = 0;  // of the DRAM queue
};

// The answer: try `first`; if it cannot enter, try the other stream only if `then_other`.
struct ArbitrationChoice {
  enum class First : std::uint8_t { nobody, compute, communication };
  First first = First::nobody;
  bool then_other = false;
};

// Contract: choose() does not change the policy's state; entered() tells it what became of the choice. With
// the same queues, choose() may change its answer only at the time next_change() gives.
class ArbitrationPolicy {
 public:
  virtual ~ArbitrationPolicy() = default;

  // Called when at least one stream waits.
  virtual ArbitrationChoice choose(const ArbitrationView& view) const = 0;
  virtual void entered(Stream stream, Tick now) = 0;
  virtual Tick next_change() const { return kNever; }

  // Signals of the producer kernel's life. `compute_occupancy_bursts`: mean number of bursts of the compute
  // stream in the DRAM queue since kernel_started().
  virtual void kernel_started() {}
  virtual void first_stage_done(double compute_occupancy_bursts) {
    static_cast<void>(compute_occupancy_bursts);
  }
  virtual void kernel_ended() {}

  // Communication may enter while fewer bursts than this are queued; kNoThreshold if that does not matter.
  virtual std::uint32_t threshold_bursts() const { return ArbitrationConfig::kNoThreshold; }
};

// `period`: of the memory clock.
std::unique_ptr<ArbitrationPolicy> make_arbitration(const ArbitrationConfig& config, Tick period);

}  // namespace t3sim
