#include "message/plan.h"

#include "base/number.h"
#include "message/plan_makers.h"
#include "message/schedule.h"

namespace t3sim::message {

Slots slots(std::uint32_t first, std::uint32_t count, std::uint32_t modulus, std::uint32_t offset) {
  Slots s;
  s.offset = narrow<std::uint16_t>(offset);
  s.base = narrow<std::uint16_t>(first % modulus);
  s.modulus = narrow<std::uint16_t>(modulus);
  s.run = narrow<std::uint16_t>(count == 0 ? 1 : count);
  s.count = narrow<std::uint16_t>(count);
  return s;
}

std::uint64_t slot_bytes(const Collective& c, std::uint32_t gpu, std::uint32_t slot) {
  if (c.kind != Kind::all_to_all) return block_bytes(c, gpu, slot);
  if (halves(c) == 2) return cut(block_bytes(c, 0, 0), slot / exchange_slots(c), 2).bytes();
  if (slot < c.gpus) return block_bytes(c, gpu, slot);               // for GPU `slot`
  if (slot < 2 * c.gpus) return block_bytes(c, slot - c.gpus, gpu);  // from GPU `slot - gpus`
  return block_bytes(c, 0, 0);                                       // on its way: all are alike
}

Plan make_plan(const Collective& c) {
  check(c);
  using enum Algorithm;
  switch (c.algorithm) {
    case ring:
      return halves(c) == 2 ? ring_exchange_plan(c) : ring_plan(c);
    case tree:
      return tree_plan(c);
    case direct:
      return direct_plan(c);
    case pairwise:
      return pairwise_plan(c);
    case bruck:
      return bruck_plan(c);
    case recursive_doubling:
      return doubling_plan(c);
    case hierarchical:
      return hierarchical_plan(c);
  }
  return ring_plan(c);
}

}  // namespace t3sim::message
