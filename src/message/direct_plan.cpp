// Direct: every GPU with all others at once, nearer ones first. Transfers are dealt to strands, so that they run side by
// side; what must be added up is one strand, which takes one GPU's after the other.
#include <algorithm>

#include "message/plan_makers.h"

namespace t3sim::message {
namespace {

// Transfers in flight from a GPU, and as many to it: beyond, they follow one another.
constexpr std::uint32_t kAtOnce = 256;

class Direct {
 public:
  explicit Direct(const Collective& c)
      : c_(c),
        n_(c.gpus),
        lanes_(std::min(n_ - 1, kAtOnce)),
        plan_(n_, c.kind == Kind::all_to_all ? 2 * n_ : n_) {}

  Plan build() {
    for (std::uint32_t r = 0; r < n_; ++r) {
      add_strands(r);
      plan_.end_gpu();
    }
    if (c_.kind != Kind::send_receive) plan_.share_channels(n_);
    return std::move(plan_);
  }

 private:
  std::uint32_t at(std::uint32_t r, std::uint32_t distance) const { return (r + n_ - distance) % n_; }
  Slots block(std::uint32_t b) const { return slots(b, 1, n_); }
  Slots all() const { return slots(0, n_, n_); }

  // f(distance) for each other GPU, dealt to strands.
  template <class F>
  void dealt(F&& f) {
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
      for (std::uint32_t d = 1 + lane; d < n_; d += lanes_) plan_.add(f(d));
      plan_.end_strand();
    }
  }

  void add_strands(std::uint32_t r) {
    switch (c_.kind) {
      case Kind::all_to_all:
        return all_to_all(r);
      case Kind::reduce_scatter:
        return scatter(r, false);
      case Kind::all_reduce:
        scatter(r, true);
        return gather(r, 1);
      case Kind::all_gather:
        dealt([&](std::uint32_t d) { return send(at(r, d), block(r)); });
        return gather(r, 0);
      default:
        return rooted(r);
    }
  }
  void all_to_all(std::uint32_t r) {
    plan_.add(copy(block(r), slots(r, 1, n_, n_)));
    plan_.end_strand();
    dealt([&](std::uint32_t d) { return send(at(r, d), block(at(r, d))); });
    dealt([&](std::uint32_t d) { return receive((r + d) % n_, slots(r + d, 1, n_, n_)); });
  }
  void scatter(std::uint32_t r, bool goes_on) {
    dealt([&](std::uint32_t d) { return send(at(r, d), block(at(r, d))); });
    for (std::uint32_t d = 1; d < n_; ++d) plan_.add(receive_add((r + d) % n_, block(r)));
    for (std::uint32_t d = 1; d < n_ && goes_on; ++d) plan_.add(tagged(send(at(r, d), block(r)), 1));
    plan_.end_strand();
  }
  void gather(std::uint32_t r, std::uint8_t tag) {
    dealt([&](std::uint32_t d) { return tagged(receive((r + d) % n_, block(r + d)), tag); });
  }
  static Step tagged(Step step, std::uint8_t tag) {
    step.tag = tag;
    return step;
  }

  void rooted(std::uint32_t r) {
    if (c_.kind == Kind::send_receive) {
      if (r == c_.root) plan_.add(send(c_.peer, all()));
      if (r == c_.peer) plan_.add(receive(c_.root, all()));
    } else if (c_.kind == Kind::gather) {
      if (r == c_.root) return dealt([&](std::uint32_t d) { return receive((r + d) % n_, block(r + d)); });
      plan_.add(send(c_.root, block(r)));
    } else {
      const bool whole = c_.kind == Kind::broadcast;
      if (r == c_.root)
        return dealt([&](std::uint32_t d) { return send(at(r, d), whole ? all() : block(at(r, d))); });
      plan_.add(receive(c_.root, whole ? all() : block(r)));
    }
    plan_.end_strand();
  }

  const Collective& c_;
  std::uint32_t n_, lanes_;
  Plan plan_;
};

}  // namespace

Plan direct_plan(const Collective& c) { return Direct(c).build(); }

}  // namespace t3sim::message
