#include "plan/plan.h"

#include <cstddef>

#include "base/number.h"

namespace t3sim {
namespace {

ChunkPlan rotated(const CollectivePlan& plan, ChunkPlan chunk, std::uint32_t by) {
  const auto gpus = narrow<std::uint32_t>(plan.gpus.size());
  const auto turn = [&](Transfer& t) { t.gpu = narrow<std::uint16_t>((t.gpu + by) % gpus); };
  if (chunk.producer == ChunkPlan::Producer::remote) turn(chunk.remote);
  for (Transfer& t : chunk.dma) turn(t);
  return chunk;
}

}  // namespace

void count_arrivals(CollectivePlan& plan) {
  for (GpuPlan& gpu : plan.gpus)
    for (ChunkPlan& chunk : gpu.chunks) chunk.stores_in = chunk.dma_in = 0;
  for (const GpuPlan& gpu : plan.gpus)
    for (std::size_t i = 0; i < gpu.chunks.size(); ++i) {
      const auto c = narrow<std::uint32_t>(i % plan.chunks);
      const ChunkPlan& chunk = gpu.chunks[i];
      if (chunk.producer == ChunkPlan::Producer::remote)
        ++plan.at(chunk.remote.gpu, chunk.remote.array, c).stores_in;
      for (const Transfer& t : chunk.dma) ++plan.at(t.gpu, t.array, c).dma_in;
    }
}

std::vector<MemoryUpdates> memory_updates(const CollectivePlan& plan, std::uint32_t gpu,
                                          std::uint32_t split_k) {
  std::vector<MemoryUpdates> updates(std::size_t{plan.arrays} * plan.chunks);
  const auto adds = [&](Op op) { return op == Op::update || split_k > 1; };
  for (std::uint32_t g = 0; g < plan.gpus.size(); ++g)
    for (std::size_t i = 0; i < plan.gpus[g].chunks.size(); ++i) {
      const ChunkPlan& chunk = plan.gpus[g].chunks[i];
      const auto at = [&](const Transfer& t) -> MemoryUpdates& {
        return updates[std::size_t{t.array} * plan.chunks + i % plan.chunks];
      };
      if (g == gpu && chunk.producer == ChunkPlan::Producer::local && adds(chunk.op))
        updates[i].own += split_k;
      if (chunk.producer == ChunkPlan::Producer::remote && chunk.remote.gpu == gpu && adds(chunk.remote.op))
        at(chunk.remote).arriving += split_k;
      for (const Transfer& t : chunk.dma)
        if (t.gpu == gpu && t.op == Op::update) ++at(t).arriving;
    }
  return updates;
}

void add_up_parts(CollectivePlan& plan) {
  for (GpuPlan& gpu : plan.gpus)
    for (ChunkPlan& chunk : gpu.chunks) {
      if (chunk.producer == ChunkPlan::Producer::local) chunk.op = Op::update;
      if (chunk.producer == ChunkPlan::Producer::remote) chunk.remote.op = Op::update;
    }
}

bool rotation_invariant(const CollectivePlan& plan) {
  const auto gpus = narrow<std::uint32_t>(plan.gpus.size());
  if (plan.chunks % gpus != 0) return false;
  const auto turned = [&](std::uint32_t chunk, std::uint32_t by) {
    return chunk / gpus * gpus + (chunk + by) % gpus;
  };
  for (std::uint32_t g = 1; g < gpus; ++g) {
    for (std::uint32_t a = 0; a < plan.arrays; ++a)
      for (std::uint32_t c = 0; c < plan.chunks; ++c)
        if (plan.at(g, a, turned(c, g)) != rotated(plan, plan.at(0, a, c), g)) return false;
    if (plan.gpus[g].order.size() != plan.gpus[0].order.size()) return false;
    for (std::size_t i = 0; i < plan.gpus[0].order.size(); ++i)
      if (plan.gpus[g].order[i] != turned(plan.gpus[0].order[i], g)) return false;
  }
  return true;
}

}  // namespace t3sim
