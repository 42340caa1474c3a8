#include "plan/plan.h"

#include <fmt/format.h>

namespace t3sim {
namespace {

GpuPlan ring_plan(std::uint32_t gpus, std::uint32_t gpu, bool fused) {
  GpuPlan plan;
  plan.chunks.resize(gpus);
  const std::uint16_t next = ring_next(gpus, gpu);
  for (std::uint32_t position = 0; position < gpus; ++position) {
    const std::uint32_t c = (gpu + position) % gpus;
    plan.order.push_back(c);
    ChunkPlan& chunk = plan.chunks[c];
    chunk.destination = next;
    const bool first = position == 0;
    const bool last = position == gpus - 1;
    if (fused) chunk.producer = first ? ChunkPlan::Producer::remote : ChunkPlan::Producer::local;
    chunk.local_updates = fused && !first;
    chunk.remote_updates = !first;
    chunk.dma = !last && !(fused && first);
    chunk.ready_at_start = !fused && first;
  }
  return plan;
}

}  // namespace

GpuPlan fused_ring_reduce_scatter(std::uint32_t gpus, std::uint32_t gpu) {
  return ring_plan(gpus, gpu, true);
}
GpuPlan dma_ring_reduce_scatter(std::uint32_t gpus, std::uint32_t gpu) { return ring_plan(gpus, gpu, false); }

std::vector<KernelStep> kernel_ring_reduce_scatter(std::uint32_t gpus, std::uint32_t gpu) {
  std::vector<KernelStep> steps;
  for (std::uint32_t s = 0; s < gpus; ++s) {
    KernelStep step;
    step.chunk = (gpu + s) % gpus;
    step.add_received = step.waits = s > 0;
    step.destination =
        s + 1 < gpus ? KernelStep::Destination::neighbour_received : KernelStep::Destination::own_output;
    steps.push_back(step);
  }
  return steps;
}

std::vector<KernelStep> kernel_ring_all_gather(std::uint32_t gpus, std::uint32_t gpu) {
  std::vector<KernelStep> steps;
  for (std::uint32_t s = 0; s + 1 < gpus; ++s) {
    KernelStep step;
    step.chunk = (gpu + gpus - 1 + s) % gpus;
    step.waits = s > 0;
    step.destination = KernelStep::Destination::neighbour_output;
    steps.push_back(step);
  }
  return steps;
}

std::string describe(const GpuPlan& plan, std::uint32_t gpu) {
  std::string text = fmt::format("GPU {} (chunks in the order in which it produces them)\n", gpu);
  for (std::uint32_t c : plan.order) {
    const ChunkPlan& chunk = plan.chunks[c];
    text += fmt::format("  chunk {:>3}: ", c);
    if (chunk.producer == ChunkPlan::Producer::remote)
      text += fmt::format("remote_map to GPU {}, update; not tracked here\n", chunk.destination);
    else {
      text += fmt::format("complete after {} local + {} remote updates an element", chunk.local_updates,
                          chunk.remote_updates);
      if (chunk.ready_at_start) text += " (at once)";
      text +=
          chunk.dma ? fmt::format(", then dma_map to GPU {}, update\n", chunk.destination) : ", then kept\n";
    }
  }
  return text;
}

}  // namespace t3sim
