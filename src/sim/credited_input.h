// Admission to a bounded input queue: whoever finds it full waits in turn and is called when it may send.
#pragma once

#include <cstdint>

#include "base/ring_buffer.h"
#include "sim/time.h"

namespace t3sim {

// Something that can wait for room in a queue.
class Sender {
 public:
  virtual ~Sender() = default;
  // One place has been reserved for this sender; it must use it.
  virtual void granted(Tick now) = 0;
};

class CreditedInput {
 public:
  explicit CreditedInput(std::size_t places = 0)
      : places_(static_cast<std::uint32_t>(places)), waiters_(16) {}

  // Takes a place, or joins the waiters (each sender at most once at a time) and returns false.
  bool take(Sender& sender) {
    if (used_ < places_) {
      ++used_;
      return true;
    }
    waiters_.push_growing(&sender);
    return false;
  }
  // Gives a place back: the longest waiter gets it.
  void release(Tick now) {
    if (waiters_.empty())
      --used_;
    else
      waiters_.pop()->granted(now);
  }
  std::size_t used() const { return used_; }
  std::size_t waiting() const { return waiters_.size(); }

 private:
  std::uint32_t places_;
  std::uint32_t used_ = 0;
  RingBuffer<Sender*> waiters_;
};

}  // namespace t3sim
