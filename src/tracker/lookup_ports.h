// The ports of the Tracker's table: so many lookups a cycle, in order of arrival.
#pragma once

#include <cstdint>

#include "sim/time.h"

namespace t3sim {

class LookupPorts {
 public:
  // `ports` 0: as many as are asked for.
  LookupPorts(std::uint32_t ports, Clock clock) : ports_(ports), clock_(clock) {}

  // When the lookup that arrives at `now` is made: at once, or in the first cycle with a free port.
  Tick look_up(Tick now) {
    if (ports_ == 0) return now;
    const Tick edge = clock_.align(now);
    if (edge > cycle_ || used_ == 0) {
      cycle_ = edge;
      used_ = 0;
    } else if (used_ == ports_) {
      cycle_ += clock_.period();
      used_ = 0;
    }
    ++used_;
    return cycle_;
  }

 private:
  std::uint32_t ports_;
  Clock clock_;
  Tick cycle_ = 0;          // that the last lookup was made in
  std::uint32_t used_ = 0;  // ports of this cycle
};

}  // namespace t3sim
