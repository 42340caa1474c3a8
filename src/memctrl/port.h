// A bounded FIFO in front of the arbitration: one for each L2 slice, one for communication.
#pragma once

#include <algorithm>

#include "base/ring_buffer.h"
#include "sim/request.h"
#include "sim/time.h"

namespace t3sim {

// A request, and when the controller may first see it.
struct PortEntry {
  Request request;
  Tick ready = 0;
  std::uint32_t bursts = 0;
};

class Port {
 public:
  explicit Port(std::uint32_t capacity_bursts) : capacity_(capacity_bursts), fifo_(capacity_bursts) {}

  bool empty() const { return fifo_.empty(); }
  std::size_t requests() const { return fifo_.size(); }
  const PortEntry& head() const { return fifo_.front(); }
  // Since when the head can be seen, at the earliest.
  Tick head_ready() const { return head_ready_; }
  // When it can be seen; kNever if there is none, or while it is blocked.
  Tick visible_at() const { return visible_at_; }
  bool head_visible(Tick now) const { return visible_at_ <= now; }
  // Of the head, kept apart from it: asked far more often than the head is taken.
  unsigned head_bursts() const { return head_bursts_; }
  Op head_op() const { return head_op_; }

  // Room for a request? A refusal is remembered: see take_refusal().
  bool accepts(unsigned bursts) {
    if (bursts_ + bursts <= capacity_) return true;
    refused_bursts_ = refused_bursts_ == 0 ? bursts : std::min(refused_bursts_, bursts);
    return false;
  }
  // Was somebody refused who would now be accepted? Forgets it.
  bool take_refusal() {
    if (refused_bursts_ == 0 || bursts_ + refused_bursts_ > capacity_) return false;
    refused_bursts_ = 0;
    return true;
  }

  Request& push(const Request& request, std::uint8_t sectors, std::uint32_t bursts, Tick ready) {
    const bool becomes_head = fifo_.empty();
    bursts_ += bursts;
    PortEntry& entry = fifo_.push_slot();
    entry.request = request;
    entry.request.sectors = sectors;
    entry.ready = ready;
    entry.bursts = bursts;
    if (becomes_head) show_head(ready);
    return entry.request;
  }
  // Drops the head.
  void pop(Tick now) {
    bursts_ -= fifo_.front().bursts;
    fifo_.drop();
    if (fifo_.empty())
      head_ready_ = visible_at_ = kNever;
    else
      show_head(std::max(fifo_.front().ready, now));
  }

  // The head is a tracked store that may not enter: nobody passes until unblock().
  void block() {
    blocked_ = true;
    visible_at_ = kNever;
  }
  void unblock() {
    blocked_ = false;
    visible_at_ = head_ready_;
  }
  bool blocked() const { return blocked_; }

 private:
  void show_head(Tick ready) {
    head_ready_ = ready;
    visible_at_ = blocked_ ? kNever : ready;
    head_bursts_ = static_cast<std::uint8_t>(fifo_.front().bursts);
    head_op_ = fifo_.front().request.op;
  }

  Tick head_ready_ = kNever, visible_at_ = kNever;
  bool blocked_ = false;
  std::uint8_t head_bursts_ = 0;
  Op head_op_ = Op::read;
  std::uint32_t capacity_;
  std::uint32_t bursts_ = 0;
  std::uint32_t refused_bursts_ = 0;
  RingBuffer<PortEntry> fifo_;
};

}  // namespace t3sim
