// Events in the order of their time, those of one time in the order in which they were added: a radix heap. Nothing may
// be added for a time that is over.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace t3sim::message {

using Picoseconds = std::uint64_t;

template <class Event>  // with a member `at`
class EventQueue {
 public:
  bool empty() const { return size_ == 0; }
  Picoseconds now() const { return now_; }

  void push(const Event& event) {
    buckets_[bucket(event.at)].push_back(event);
    ++size_;
  }
  Event pop() {
    if (next_ == buckets_[0].size()) refill();
    --size_;
    return buckets_[0][next_++];
  }

 private:
  // 0: now; k: the highest bit in which it differs from now is the k-th.
  std::size_t bucket(Picoseconds at) const { return static_cast<std::size_t>(std::bit_width(at ^ now_)); }
  void refill() {
    buckets_[0].clear();
    next_ = 0;
    std::size_t b = 1;
    while (buckets_[b].empty()) ++b;
    Picoseconds first = buckets_[b].front().at;
    for (const Event& event : buckets_[b]) first = event.at < first ? event.at : first;
    now_ = first;
    for (const Event& event : buckets_[b]) buckets_[bucket(event.at)].push_back(event);
    buckets_[b].clear();
  }

  std::vector<Event> buckets_[65];
  std::size_t next_ = 0, size_ = 0;
  Picoseconds now_ = 0;
};

}  // namespace t3sim::message
