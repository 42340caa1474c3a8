// Pairwise: in step d every GPU sends to the one d before it and receives from the one d behind it.
#include "message/plan_makers.h"

namespace t3sim::message {

Plan pairwise_plan(const Collective& c) {
  const std::uint32_t n = c.gpus;
  Plan plan(n, c.kind == Kind::all_to_all ? 2 * n : n);
  plan.reserve(std::size_t{2} * n * n);
  for (std::uint32_t r = 0; r < n; ++r) {
    if (c.kind == Kind::all_to_all) plan.add(copy(slots(r, 1, n), slots(r, 1, n, n)));
    for (std::uint32_t d = 1; d < n; ++d) {
      const std::uint32_t to = (r + n - d) % n, from = (r + d) % n;
      plan.add(send(to, slots(c.kind == Kind::all_gather ? r : to, 1, n)));
      if (c.kind == Kind::reduce_scatter)
        plan.add(receive_add(from, slots(r, 1, n)));
      else
        plan.add(receive(from, slots(from, 1, n, c.kind == Kind::all_to_all ? n : 0)));
    }
    plan.end_strand();
    plan.end_gpu();
  }
  return plan;
}

}  // namespace t3sim::message
