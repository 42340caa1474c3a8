#include "plan/plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace t3sim {
namespace {

CollectivePlan ring_plan(const char* name, std::uint32_t gpus, bool fused) {
  CollectivePlan plan;
  plan.name = name;
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

ChunkPlan rotated(const CollectivePlan& plan, ChunkPlan chunk, std::uint32_t by) {
  const auto gpus = static_cast<std::uint32_t>(plan.gpus.size());
  const auto turn = [&](Transfer& t) { t.gpu = static_cast<std::uint16_t>((t.gpu + by) % gpus); };
  if (chunk.producer == ChunkPlan::Producer::remote) turn(chunk.remote);
  for (Transfer& t : chunk.dma) turn(t);
  return chunk;
}

const char* name_of(Op op) { return op == Op::update ? "update" : "store"; }

std::string describe(const Transfer& t) {
  return t.array == 0 ? fmt::format("GPU {}, {}", t.gpu, name_of(t.op))
                      : fmt::format("GPU {} array {}, {}", t.gpu, t.array, name_of(t.op));
}

}  // namespace

void count_arrivals(CollectivePlan& plan) {
  for (GpuPlan& gpu : plan.gpus)
    for (ChunkPlan& chunk : gpu.chunks) chunk.stores_in = chunk.dma_in = 0;
  for (const GpuPlan& gpu : plan.gpus)
    for (std::size_t i = 0; i < gpu.chunks.size(); ++i) {
      const auto c = static_cast<std::uint32_t>(i % plan.chunks);
      const ChunkPlan& chunk = gpu.chunks[i];
      if (chunk.producer == ChunkPlan::Producer::remote)
        ++plan.at(chunk.remote.gpu, chunk.remote.array, c).stores_in;
      for (const Transfer& t : chunk.dma) ++plan.at(t.gpu, t.array, c).dma_in;
    }
}

bool rotation_invariant(const CollectivePlan& plan) {
  const auto gpus = static_cast<std::uint32_t>(plan.gpus.size());
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

CollectivePlan fused_ring_reduce_scatter(std::uint32_t gpus) {
  return ring_plan("ring reduce-scatter", gpus, true);
}
CollectivePlan dma_ring_reduce_scatter(std::uint32_t gpus) {
  return ring_plan("ring reduce-scatter by DMA", gpus, false);
}

std::string describe(const CollectivePlan& plan, std::uint32_t gpu) {
  std::string text = fmt::format("GPU {} (chunks in the order in which it produces them)\n", gpu);
  for (std::uint32_t c : plan.gpus[gpu].order) {
    const ChunkPlan& chunk = plan.at(gpu, 0, c);
    text += fmt::format("  chunk {:>3}: ", c);
    if (chunk.producer == ChunkPlan::Producer::remote) {
      text += fmt::format("remote_map to {}\n", describe(chunk.remote));
      continue;
    }
    const unsigned local = chunk.producer == ChunkPlan::Producer::local;
    text += fmt::format("complete after {} local + {} remote updates an element", local,
                        chunk.stores_in + chunk.dma_in);
    if (chunk.updates(1) == 0) text += " (at once)";
    for (const Transfer& t : chunk.dma) text += fmt::format(", then dma_map to {}", describe(t));
    text += chunk.dma.empty() ? ", then kept\n" : "\n";
  }
  return text;
}

}  // namespace t3sim
