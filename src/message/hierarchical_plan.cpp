// Hierarchical all-reduce: a ring reduce-scatter in each node, a ring all-reduce of each GPU's part with the GPUs at the
// same place of all other nodes, a ring all-gather in each node. Only the second crosses between nodes.
#include "message/plan_makers.h"

namespace t3sim::message {
namespace {

class Hierarchical {
 public:
  explicit Hierarchical(const Collective& c)
      : inner_(c.node_size), outer_(c.gpus / c.node_size), plan_(c.gpus, c.gpus) {}

  Plan build() {
    for (std::uint32_t r = 0; r < inner_ * outer_; ++r) {
      here_ = r % inner_;
      node_ = r / inner_;
      scatter_inside();
      reduce_between();
      gather_inside();
      plan_.end_strand();
      plan_.end_gpu();
    }
    return std::move(plan_);
  }

 private:
  std::uint32_t inside(std::uint32_t place) const { return node_ * inner_ + place % inner_; }
  std::uint32_t across(std::uint32_t node) const { return node % outer_ * inner_ + here_; }
  // Blocks p * outer to (p + 1) * outer - 1 are the part of place p; each of them a block between nodes.
  Slots part(std::uint32_t place) const { return slots(place % inner_ * outer_, outer_, inner_ * outer_); }
  Slots block(std::uint32_t node) const { return slots(here_ * outer_ + node % outer_, 1, inner_ * outer_); }

  // A ring's reduce-scatter up to its last step: what comes is added to the own slots and goes on.
  template <class Part>
  void add_around(std::uint32_t next, std::uint32_t before, std::uint32_t count, const Part& part) {
    plan_.add(send(next, part(1)));
    for (std::uint32_t s = 2; s < count; ++s) {
      Step step = then_send(receive_add(before, part(s)), next);
      step.stores = false;
      plan_.add(step);
    }
  }
  void scatter_inside() {
    const std::uint32_t next = inside(here_ + inner_ - 1), before = inside(here_ + 1);
    add_around(next, before, inner_, [&](std::uint32_t s) { return part(here_ + s); });
    plan_.add(receive_add(before, part(here_)));
  }
  void reduce_between() {
    const std::uint32_t next = across(node_ + outer_ - 1), before = across(node_ + 1);
    add_around(next, before, outer_, [&](std::uint32_t s) { return block(node_ + s); });
    plan_.add(then_send(receive_add(before, block(node_)), next));
    for (std::uint32_t s = 1; s + 1 < outer_; ++s)
      plan_.add(then_send(receive(before, block(node_ + s)), next));
    plan_.add(receive(before, block(node_ + outer_ - 1)));
  }
  void gather_inside() {
    const std::uint32_t next = inside(here_ + inner_ - 1), before = inside(here_ + 1);
    plan_.add(send(next, part(here_)));
    for (std::uint32_t s = 1; s + 1 < inner_; ++s)
      plan_.add(then_send(receive(before, part(here_ + s)), next));
    plan_.add(receive(before, part(here_ + inner_ - 1)));
  }

  std::uint32_t inner_, outer_;
  std::uint32_t here_ = 0, node_ = 0;
  Plan plan_;
};

}  // namespace

Plan hierarchical_plan(const Collective& c) { return Hierarchical(c).build(); }

}  // namespace t3sim::message
