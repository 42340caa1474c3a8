// Rings: GPU r receives from GPU r + 1 and sends to GPU r - 1. A block that a GPU ends with, or begins with, is
// that of its own number.
#include "message/plan_makers.h"

namespace t3sim::message {
namespace {

class Ring {
 public:
  explicit Ring(const Collective& c) : c_(c), n_(c.gpus), plan_(n_, n_) {}

  Plan build() {
    plan_.reserve(std::size_t{2} * n_ * n_);
    for (std::uint32_t r = 0; r < n_; ++r) {
      add_steps(r);
      plan_.end_strand();
      plan_.end_gpu();
    }
    return std::move(plan_);
  }

 private:
  std::uint32_t next(std::uint32_t r) const { return (r + n_ - 1) % n_; }
  std::uint32_t before(std::uint32_t r) const { return (r + 1) % n_; }
  Slots block(std::uint32_t b) const { return slots(b % n_, 1, n_); }

  void add_steps(std::uint32_t r) {
    switch (c_.kind) {
      case Kind::all_reduce:
        scatter(r, true);
        return spread(r);
      case Kind::reduce_scatter:
        return scatter(r, false);
      case Kind::all_gather:
        plan_.add(copy_send(next(r), block(r)));
        return spread(r);
      default:
        return chain(r);
    }
  }
  // Block b starts with GPU b - 1 and ends with GPU b.
  void scatter(std::uint32_t r, bool goes_on) {
    plan_.add(send(next(r), block(r + 1)));
    for (std::uint32_t s = 2; s < n_; ++s) {
      Step step = then_send(receive_add(before(r), block(r + s)), next(r));
      step.stores = false;
      plan_.add(step);
    }
    const Step last = receive_add(before(r), block(r));
    plan_.add(goes_on ? then_send(last, next(r)) : last);
  }
  void spread(std::uint32_t r) {
    for (std::uint32_t s = 1; s + 1 < n_; ++s)
      plan_.add(then_send(receive(before(r), block(r + s)), next(r)));
    plan_.add(receive(before(r), block(r + n_ - 1)));
  }
  // All blocks from the root on.
  void chain(std::uint32_t r) {
    const Slots all = slots(0, n_, n_);
    const std::uint32_t end = before(c_.root);
    if (r == c_.root) return plan_.add(copy_send(next(r), all));
    const Step step = receive(before(r), all);
    plan_.add(r == end ? step : then_send(step, next(r)));
  }

  const Collective& c_;
  std::uint32_t n_;
  Plan plan_;
};

}  // namespace

Plan ring_plan(const Collective& c) { return Ring(c).build(); }

}  // namespace t3sim::message
