// Recursive doubling and halving, of a power of two of GPUs: in each step with the GPU whose number differs in one bit.
#include "message/plan_makers.h"

namespace t3sim::message {
namespace {

class Doubling {
 public:
  explicit Doubling(const Collective& c) : c_(c), n_(c.gpus), plan_(n_, n_) {}

  Plan build() {
    for (std::uint32_t r = 0; r < n_; ++r) {
      if (c_.kind == Kind::all_reduce)
        sums(r);
      else if (c_.kind == Kind::reduce_scatter)
        halves(r);
      else
        doubles(r);
      plan_.end_strand();
      plan_.end_gpu();
    }
    return std::move(plan_);
  }

 private:
  void sums(std::uint32_t r) {
    const Slots all = slots(0, n_, n_);
    for (std::uint32_t bit = 1; bit < n_; bit *= 2) {
      plan_.add(send(r ^ bit, all));
      plan_.add(receive_add(r ^ bit, all));
    }
  }
  // Of the blocks that are still shared, one half is given away, the other one added to.
  void halves(std::uint32_t r) {
    for (std::uint32_t bit = n_ / 2; bit > 0; bit /= 2) {
      const std::uint32_t first = r / (2 * bit) * 2 * bit;
      const std::uint32_t mine = first + (r & bit), theirs = first + (~r & bit);
      plan_.add(send(r ^ bit, slots(theirs, bit, n_)));
      plan_.add(receive_add(r ^ bit, slots(mine, bit, n_)));
    }
  }
  void doubles(std::uint32_t r) {
    for (std::uint32_t bit = 1; bit < n_; bit *= 2) {
      const std::uint32_t mine = r / bit * bit;
      plan_.add(send(r ^ bit, slots(mine, bit, n_)));
      plan_.add(receive(r ^ bit, slots(mine ^ bit, bit, n_)));
    }
  }

  const Collective& c_;
  std::uint32_t n_;
  Plan plan_;
};

}  // namespace

Plan doubling_plan(const Collective& c) { return Doubling(c).build(); }

}  // namespace t3sim::message
