// A bounded FIFO of small plain values in one allocation.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace t3sim {

template <class T>
class RingBuffer {
 public:
  explicit RingBuffer(std::size_t capacity = 0) { reset(capacity); }

  // Empties the buffer and sets how many values it holds at most.
  void reset(std::size_t capacity) {
    items_.assign(std::bit_ceil(capacity < 1 ? std::size_t{1} : capacity), T{});
    capacity_ = narrow(capacity);
    mask_ = narrow(items_.size() - 1);
    head_ = count_ = 0;
  }

  bool empty() const { return count_ == 0; }
  bool full() const { return count_ == capacity_; }
  std::size_t size() const { return count_; }
  std::size_t capacity() const { return capacity_; }

  T& front() { return at(0); }
  const T& front() const { return at(0); }
  T& back() { return at(count_ - 1); }
  // i-th oldest value.
  T& at(std::size_t i) {
    assert(i < count_);
    return items_[(head_ + i) & mask_];
  }
  const T& at(std::size_t i) const {
    assert(i < count_);
    return items_[(head_ + i) & mask_];
  }
  void push(const T& value) { push_slot() = value; }
  // A place behind the others, to be written: what it holds is old.
  T& push_slot() {
    assert(!full());
    const std::uint32_t end = head_ + count_;
    ++count_;
    return items_[end & mask_];
  }
  // Pushes, growing instead of overflowing: for queues whose bound is kept elsewhere (credits, in-flight limits).
  void push_growing(const T& value) { push_growing_slot() = value; }
  T& push_growing_slot() {
    if (full()) grow();
    return push_slot();
  }
  // The place behind the others will be written soon: has the host fetch it.
  [[gnu::always_inline]] void prefetch_end() const {
    __builtin_prefetch(&items_[(head_ + count_) & mask_], 1);
  }
  T pop() {
    assert(!empty());
    T value = items_[head_];
    drop();
    return value;
  }
  void drop() {
    assert(!empty());
    // An empty buffer begins again with its first place, which the host's caches hold.
    head_ = --count_ == 0 ? 0 : (head_ + 1) & mask_;
  }

 private:
  // Rare: apart, so that push() is short where it is built in.
  [[gnu::noinline]] void grow() {
    std::vector<T> bigger(items_.size() * 2);
    for (std::size_t i = 0; i < count_; ++i) bigger[i] = items_[(head_ + i) & mask_];
    items_ = std::move(bigger);
    mask_ = narrow(items_.size() - 1);
    head_ = 0;
    capacity_ = narrow(items_.size());
  }
  static std::uint32_t narrow(std::size_t n) {
    assert(n <= std::uint32_t(-1));
    return static_cast<std::uint32_t>(n);
  }

  // What an access looks at lies together.
  std::uint32_t count_ = 0;
  std::uint32_t head_ = 0;
  std::uint32_t mask_ = 0;  // positions are taken modulo a power of two
  std::uint32_t capacity_ = 0;
  std::vector<T> items_;
};

}  // namespace t3sim
