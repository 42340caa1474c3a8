// What has arrived over a link, as a block that polls a flag sees it: a while later.
#pragma once

#include "base/ring_buffer.h"
#include "gpu/arrival_board.h"
#include "sim/scheduler.h"

namespace t3sim {

class ArrivalDelay final : public Component {
 public:
  ArrivalDelay(Scheduler& scheduler, ArrivalBoard& board, Tick delay)
      : scheduler_(scheduler), board_(board), delay_(delay) {}

  void count(std::uint32_t step, std::uint32_t tile, std::uint32_t sectors, Tick now) {
    coming_.push_growing({now + delay_, step, tile, sectors});
    scheduler_.wake(*this, now + delay_);
  }
  void wake(Tick now) override {
    while (!coming_.empty() && coming_.front().at <= now) {
      const Coming c = coming_.pop();
      board_.count(c.step, c.tile, c.sectors, now);
    }
  }

 private:
  struct Coming {
    Tick at = 0;
    std::uint32_t step = 0, tile = 0, sectors = 0;
  };
  Scheduler& scheduler_;
  ArrivalBoard& board_;
  Tick delay_;
  RingBuffer<Coming> coming_{64};
};

}  // namespace t3sim
