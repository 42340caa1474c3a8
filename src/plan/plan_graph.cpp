#include "plan/plan_graph.h"

#include <algorithm>

#include "base/number.h"

namespace t3sim {

PlanGraph::PlanGraph(const CollectivePlan& plan)
    : arrays_(plan.arrays), chunks_(plan.chunks), writers_(plan.gpus.size() * plan.arrays * plan.chunks) {
  for (std::uint32_t i = 0; i < cells(); ++i) {
    const Cell from = cell(i);
    const ChunkPlan& chunk = plan.at(from.gpu, from.array, from.chunk);
    const auto gpu = narrow<std::uint16_t>(from.gpu);
    const auto array = narrow<std::uint8_t>(from.array);
    const auto write = [&](const Transfer& t, Writer::By by) {
      writers_[index({t.gpu, t.array, from.chunk})].push_back({by, t.op, gpu, array});
    };
    if (chunk.producer == ChunkPlan::Producer::local)
      writers_[i].push_back({Writer::By::own_stores, chunk.op, gpu, array});
    if (chunk.producer == ChunkPlan::Producer::remote) write(chunk.remote, Writer::By::remote_stores);
    for (const Transfer& t : chunk.dma) write(t, Writer::By::dma);
  }
  for (std::vector<Writer>& writers : writers_)
    std::ranges::stable_sort(writers, {}, [](const Writer& w) { return w.by != Writer::By::own_stores; });
  sort(plan);
}

void PlanGraph::sort(const CollectivePlan& plan) {
  std::vector<std::uint32_t> waits_for(cells());
  for (std::uint32_t i = 0; i < cells(); ++i) {
    waits_for[i] = narrow<std::uint32_t>(std::ranges::count(writers_[i], Writer::By::dma, &Writer::by));
    if (waits_for[i] == 0) order_.push_back(i);
  }
  for (std::size_t next = 0; next < order_.size(); ++next) {
    const Cell from = cell(order_[next]);
    for (const Transfer& t : plan.at(from.gpu, from.array, from.chunk).dma) {
      const std::uint32_t to = index({t.gpu, t.array, from.chunk});
      if (--waits_for[to] == 0) order_.push_back(to);
    }
  }
}

}  // namespace t3sim
