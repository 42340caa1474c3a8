// Trees. All-reduce: up a binary tree of all GPUs and down again. Broadcast, scatter, gather: the binomial tree whose
// root is the collective's; GPU v (counted from the root) is joined to v + 2^k for all 2^k below its lowest bit.
#include <bit>

#include "message/plan_makers.h"

namespace t3sim::message {
namespace {

class Tree {
 public:
  explicit Tree(const Collective& c) : c_(c), n_(c.gpus), plan_(n_, n_) {}

  Plan build() {
    for (std::uint32_t r = 0; r < n_; ++r) {
      if (c_.kind == Kind::all_reduce)
        up_and_down(r);
      else if (c_.kind == Kind::gather)
        binomial_up(r);
      else
        binomial_down(r);
      plan_.end_gpu();
    }
    return std::move(plan_);
  }

 private:
  // Down is a strand of its own: what comes down does not wait for what goes up after it.
  void up_and_down(std::uint32_t r) {
    const Slots all = slots(0, n_, n_);
    const std::uint32_t children[2]{2 * r + 1, 2 * r + 2};
    const std::uint32_t count = children[1] < n_ ? 2 : children[0] < n_ ? 1 : 0;
    const std::uint32_t parent = (r - 1) / 2;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Step add = receive_add(children[i], all);
      plan_.add(i + 1 == count && r != 0 ? then_send(add, parent) : add);
    }
    if (count == 0) plan_.add(send(parent, all));
    if (r != 0) {
      plan_.end_strand();
      const Step down = receive(parent, all);
      plan_.add(tagged(count > 0 ? then_send(down, children[0]) : down));
      if (count > 1) plan_.add(tagged(send(children[1], all)));
    } else {
      for (std::uint32_t i = 0; i < count; ++i) plan_.add(tagged(send(children[i], all)));
    }
    plan_.end_strand();
  }
  static Step tagged(Step step) {
    step.tag = 1;
    return step;
  }

  std::uint32_t place(std::uint32_t r) const { return (r + n_ - c_.root) % n_; }
  std::uint32_t gpu(std::uint32_t v) const { return (v + c_.root) % n_; }
  // GPUs below v, v among them.
  std::uint32_t below(std::uint32_t v) const {
    const std::uint32_t span = v == 0 ? std::bit_ceil(n_) : v & (~v + 1);
    return std::min(span, n_ - v);
  }
  // What a transfer to or from the GPUs below v carries.
  Slots part(std::uint32_t v) const {
    return c_.kind == Kind::broadcast ? slots(0, n_, n_) : slots(gpu(v), below(v), n_);
  }
  std::uint32_t parent(std::uint32_t v) const { return gpu(v & (v - 1)); }

  // Children: v + 2^k below the lowest bit of v, the largest first.
  template <class F>
  void for_children(std::uint32_t v, F&& f) const {
    for (std::uint32_t k = (v == 0 ? std::bit_ceil(n_) : v & (~v + 1)) / 2; k > 0; k /= 2)
      if (v + k < n_) f(v + k);
  }
  void binomial_down(std::uint32_t r) {
    const std::uint32_t v = place(r);
    if (v != 0) plan_.add(receive(parent(v), part(v)));
    for_children(v, [&](std::uint32_t child) { plan_.add(send(gpu(child), part(child))); });
    plan_.end_strand();
  }
  void binomial_up(std::uint32_t r) {
    const std::uint32_t v = place(r);
    std::vector<std::uint32_t> children;
    for_children(v, [&](std::uint32_t child) { children.push_back(child); });
    for (auto child = children.rbegin(); child != children.rend(); ++child)
      plan_.add(receive(gpu(*child), part(*child)));
    if (v != 0) plan_.add(send(parent(v), part(v)));
    plan_.end_strand();
  }

  const Collective& c_;
  std::uint32_t n_;
  Plan plan_;
};

}  // namespace

Plan tree_plan(const Collective& c) { return Tree(c).build(); }

}  // namespace t3sim::message
