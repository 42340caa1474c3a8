// Ring reduce-scatter written down in C++, independently of the language and the library: what they must
// give.
#pragma once

#include "plan/plan.h"

namespace t3sim {

inline CollectivePlan reference_ring(std::uint32_t gpus, bool fused) {
  CollectivePlan plan;
  plan.name = fused ? "ring reduce-scatter" : "ring reduce-scatter by DMA";
  plan.kind = CollectiveKind::reduce_scatter;
  plan.chunks = gpus;
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    GpuPlan& own = plan.gpus.emplace_back();
    own.chunks.resize(gpus);
    const Transfer next{ring_next(gpus, gpu), 0, Op::update};
    for (std::uint32_t position = 0; position < gpus; ++position) {
      const std::uint32_t c = (gpu + position) % gpus;
      ChunkPlan& chunk = own.chunks[c];
      const bool first = position == 0;
      const bool last = position == gpus - 1;
      own.order.push_back(c);
      if (fused) chunk.producer = first ? ChunkPlan::Producer::remote : ChunkPlan::Producer::local;
      if (fused && first) chunk.remote = next;
      chunk.present = !fused;
      if (!last && !(fused && first)) chunk.dma.push_back(next);
    }
  }
  count_arrivals(plan);
  return plan;
}

}  // namespace t3sim
