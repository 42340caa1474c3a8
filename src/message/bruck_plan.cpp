// Bruck et al. (1997): all-gather and all-to-all in log2(n) steps, rounded up.
//
// All-gather: GPU r sends all that it has, blocks r to r + 2^k - 1, to GPU r - 2^k; in the last step what is missing.
// All-to-all: block i of a temporary array is for GPU r - i. In step k all blocks whose number has bit k go 2^k GPUs on.
#include "base/number.h"
#include "message/plan_makers.h"

namespace t3sim::message {
namespace {

Plan gather(std::uint32_t n) {
  Plan plan(n, n);
  for (std::uint32_t r = 0; r < n; ++r) {
    for (std::uint32_t have = 1; have < n; have *= 2) {
      const std::uint32_t count = std::min(have, n - have);
      plan.add(send((r + n - have) % n, slots(r, count, n)));
      plan.add(receive((r + have) % n, slots(r + have, count, n)));
    }
    plan.end_strand();
    plan.end_gpu();
  }
  return plan;
}

// Places of the temporary array with bit k, which lies behind input and output.
Slots with_bit(std::uint32_t bit, std::uint32_t n) {
  Slots s = slots(0, 0, n, 2 * n);
  s.first = s.run = narrow<std::uint16_t>(bit);
  s.stride = narrow<std::uint16_t>(2 * bit);
  for (std::uint32_t i = bit; i < n; ++i) s.count = narrow<std::uint16_t>(s.count + ((i & bit) != 0));
  return s;
}

// Slots r, r - 1, ... around a ring.
Slots downwards(std::uint32_t r, std::uint32_t n, std::uint32_t offset) {
  Slots s = slots(r, n, n, offset);
  s.down = true;
  return s;
}

Plan exchange(std::uint32_t n) {
  Plan plan(n, 3 * n);
  for (std::uint32_t r = 0; r < n; ++r) {
    plan.add(copy(downwards(r, n, 0), slots(0, n, n, 2 * n)));
    for (std::uint32_t bit = 1; bit < n; bit *= 2) {
      plan.add(send((r + n - bit) % n, with_bit(bit, n)));
      plan.add(receive((r + bit) % n, with_bit(bit, n)));
    }
    plan.add(copy(slots(0, n, n, 2 * n), slots(r, n, n, n)));  // place i has come from GPU r + i
    plan.end_strand();
    plan.end_gpu();
  }
  return plan;
}

}  // namespace

Plan bruck_plan(const Collective& c) {
  return c.kind == Kind::all_gather ? gather(c.gpus) : exchange(c.gpus);
}

}  // namespace t3sim::message
