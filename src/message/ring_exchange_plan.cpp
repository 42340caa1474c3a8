// All-to-all around rings, as ASTRA-sim does it on a torus: one dimension after the other, each with the whole array
// (Sys.cc, generate_collective()); in each what is for the GPU at distance d goes through all that lie between, N (N - 1) / 2
// messages of a block each, one after the other (Ring.cc). Its chunks take turns to go one way around and the other
// (QueueLevelHandler.cc): here one half of each block goes one way and one the other.
//
// GPU r = y * across + x. First around the rows, for column x what its GPUs of all rows get; then around the columns.
#include <algorithm>

#include "base/number.h"
#include "message/plan_makers.h"

namespace t3sim::message {
namespace {

class RingExchange {
 public:
  explicit RingExchange(const Collective& c)
      : n_(c.gpus),
        across_(first_ring(c)),
        along_(n_ / across_),
        half_slots_(exchange_slots(c)),
        plan_(n_, 2 * half_slots_) {}

  Plan build() {
    for (std::uint32_t r = 0; r < n_; ++r) {
      for (half_ = 0; half_ < 2; ++half_) {
        around_row(r % across_, r / across_);
        if (along_ > 1) around_column(r % across_, r / across_);
        plan_.end_strand();
      }
      plan_.end_gpu();
    }
    return std::move(plan_);
  }

 private:
  void around_row(std::uint32_t x, std::uint32_t y) {
    const std::uint32_t held = along_ > 1 ? 2 * n_ : n_;  // without columns it is the result
    go_around(
        across_, x, [&](std::uint32_t other) { return y * across_ + other; },
        [&](std::uint32_t other) { return column(other, 0); },
        [&](std::uint32_t other) { return column(other, held); });
  }
  void around_column(std::uint32_t x, std::uint32_t y) {
    go_around(
        along_, y, [&](std::uint32_t other) { return other * across_ + x; },
        [&](std::uint32_t other) { return row(other, 2 * n_); },
        [&](std::uint32_t other) { return row(other, n_); });
  }

  // `out` and `in`: what goes to another place of the ring, and what comes from it.
  template <class Gpu, class Out, class In>
  void go_around(std::uint32_t size, std::uint32_t self, Gpu&& gpu, Out&& out, In&& in) {
    const auto at = [&](std::uint32_t distance) {
      return (self + (half_ == 0 ? size - distance : distance)) % size;
    };
    const std::uint32_t to = gpu(at(1)), from = gpu(at(size - 1));
    plan_.add(copy(out(self), in(self)));
    for (std::uint32_t d = size - 1; d > 0; --d) {
      const Slots sent = out(at(d)), through = slots(0, sent.count, kEnd, half_ * half_slots_ + passing());
      add(send(to, sent));
      for (std::uint32_t hop = 1; hop < d; ++hop) add(then_send(receive(from, through), to));
      add(receive(from, in(at(size - d))));
    }
  }
  void add(Step step) {
    step.tag = narrow<std::uint8_t>(half_);
    plan_.add(step);
  }

  // Of an array of a block a GPU that begins at `offset`: the blocks of a column or of a row.
  Slots column(std::uint32_t x, std::uint32_t offset) const {
    Slots s = slots(0, along_, n_, half_ * half_slots_ + offset);
    s.first = narrow<std::uint16_t>(x);
    s.run = 1;
    s.stride = narrow<std::uint16_t>(across_);
    return s;
  }
  Slots row(std::uint32_t y, std::uint32_t offset) const {
    return slots(y * across_, across_, n_, half_ * half_slots_ + offset);
  }
  // Behind all others: what is on its way to others.
  std::uint32_t passing() const { return half_slots_ - std::max(across_, along_); }

  static constexpr std::uint32_t kEnd = 1 << 15;  // no ring of slots is as long

  std::uint32_t n_, across_, along_, half_slots_, half_ = 0;
  Plan plan_;
};

}  // namespace

std::uint32_t first_ring(const Collective& c) {
  return c.node_size < 2 || c.node_size >= c.gpus ? c.gpus : c.node_size;
}

std::uint32_t exchange_slots(const Collective& c) {
  const std::uint32_t across = first_ring(c), along = c.gpus / across;
  return (along > 1 ? 3 : 2) * c.gpus + std::max(across, along);
}

Plan ring_exchange_plan(const Collective& c) { return RingExchange(c).build(); }

}  // namespace t3sim::message
