// A wire or port that carries bytes one after the other, exact over a run of packets without a gap: no
// rounding error accumulates.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/time.h"

namespace t3sim {

class Serialiser {
 public:
  Serialiser(std::uint64_t bandwidth_Bps, std::uint64_t ticks_per_second)
      : bandwidth_Bps_(bandwidth_Bps), ticks_per_second_(ticks_per_second) {}

  // The wire is free from this tick on.
  Tick until() const { return until_; }
  // Ticks that so many bytes need, rounded up.
  Tick duration(std::uint64_t bytes) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<Tick>((static_cast<Wide>(bytes) * ticks_per_second_ + bandwidth_Bps_ - 1) /
                             bandwidth_Bps_);
  }

  // Sends bytes that are here, from `now` (>= until()) on; returns when the last one has left. Over a run of
  // packets that may be `now` itself: a wire can carry several a tick.
  Tick send(Tick now, std::uint64_t bytes) {
    if (now > until_) start_run(now);
    return until_ = std::max(extend_run(bytes), now);
  }
  // Passes on bytes that have come in over another wire, the last one `now` (>= until()), as they came
  // (cut-through): an idle port costs them nothing, a busy one makes them follow what went before.
  Tick pass(Tick now, std::uint64_t bytes) {
    const Tick end = extend_run(bytes);
    if (end < now) start_run(now);  // not if end == now: the run goes on, with its fraction of a tick
    return until_ = std::max(end, now);
  }

 private:
  void start_run(Tick now) {
    run_start_ = now;
    run_bytes_ = 0;
  }
  Tick extend_run(std::uint64_t bytes) {
    run_bytes_ += bytes;
    return run_start_ + duration(run_bytes_);
  }

  std::uint64_t bandwidth_Bps_, ticks_per_second_;
  Tick until_ = 0;
  Tick run_start_ = 0;           // start of the present run of packets
  std::uint64_t run_bytes_ = 0;  // and what it has carried
};

}  // namespace t3sim
