// A bounded FIFO in front of the arbitration: one for each L2 slice, one for communication.
#pragma once

#include "memctrl/request.h"
#include "sim/ring_buffer.h"
#include "sim/time.h"

namespace t3sim {

// A request, and when the controller may first see it.
struct PortEntry {
  Request request;
  Tick ready = 0;
};

class Port {
 public:
  explicit Port(std::uint32_t capacity_bursts) : fifo_(capacity_bursts), capacity_(capacity_bursts) {}

  bool empty() const { return fifo_.empty(); }
  std::size_t requests() const { return fifo_.size(); }
  const PortEntry& head() const { return fifo_.front(); }
  // When the head may first be seen; kNever if there is none.
  Tick head_ready() const { return head_ready_; }
  bool head_visible(Tick now) const { return head_ready_ <= now && !blocked_; }

  // Room for a request? A refusal is remembered: see take_refusal().
  bool accepts(unsigned bursts) {
    if (bursts_ + bursts <= capacity_) return true;
    refused_bursts_ = bursts;
    return false;
  }
  // Was somebody refused who would now be accepted? Forgets it.
  bool take_refusal() {
    if (refused_bursts_ == 0 || bursts_ + refused_bursts_ > capacity_) return false;
    refused_bursts_ = 0;
    return true;
  }

  void push(const PortEntry& entry, unsigned bursts) {
    if (fifo_.empty()) head_ready_ = entry.ready;
    bursts_ += bursts;
    fifo_.push(entry);
  }
  PortEntry pop(unsigned bursts, Tick now) {
    bursts_ -= bursts;
    const PortEntry entry = fifo_.pop();
    head_ready_ = fifo_.empty() ? kNever : fifo_.front().ready > now ? fifo_.front().ready : now;
    return entry;
  }

  // The head is a tracked store that may not enter: nobody passes until unblock().
  void block() { blocked_ = true; }
  void unblock() { blocked_ = false; }
  bool blocked() const { return blocked_; }

 private:
  RingBuffer<PortEntry> fifo_;
  std::uint32_t capacity_;
  std::uint32_t bursts_ = 0;
  std::uint32_t refused_bursts_ = 0;
  Tick head_ready_ = kNever;  // since when the head has been one, at the earliest
  bool blocked_ = false;
};

}  // namespace t3sim
