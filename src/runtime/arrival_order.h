// A signal that comes over a link is seen after all that its sender has sent before it: memory takes packets of
// different channels in any order, so the news may be there before the data.
#pragma once

#include <cstdint>
#include <deque>

namespace t3sim {

// Of the packets of one GPU to another.
class ArrivalOrder {
 public:
  // Of the next packet that is delivered.
  std::uint32_t number() { return next_++; }
  // The packet is where later reads see it.
  void stored(std::uint32_t number) {
    const std::uint32_t place = number - first_;  // modulo 2^32
    if (place >= stored_.size()) stored_.resize(place + 1);
    stored_[place] = true;
    while (!stored_.empty() && stored_.front()) {
      stored_.pop_front();
      ++first_;
    }
  }
  // This signal has come as packet `number`.
  void signal(std::uint32_t number, std::uint32_t setting) { signals_.push_back({number, setting}); }
  // f(setting) for each signal with nothing outstanding before it.
  template <class F>
  void for_each_seen(F&& f) {
    for (auto it = signals_.begin(); it != signals_.end();) {
      if (static_cast<std::int32_t>(first_ - it->number) <= 0) {
        ++it;
        continue;
      }
      const std::uint32_t setting = it->setting;
      it = signals_.erase(it);
      f(setting);
    }
  }
  bool idle() const { return first_ == next_ && signals_.empty(); }

 private:
  struct Signal {
    std::uint32_t number, setting;
  };
  std::uint32_t next_ = 0, first_ = 0;  // first that is not stored
  std::deque<bool> stored_;             // from first_ on
  std::deque<Signal> signals_;          // few
};

}  // namespace t3sim
