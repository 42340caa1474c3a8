#include "plan/kernel_plan.h"

#include <numeric>

#include "base/number.h"
#include "plan/plan.h"

namespace t3sim {
namespace {

template <class F>
KernelPlan for_each_gpu(std::uint32_t gpus, std::uint32_t arrays, F&& steps_of) {
  KernelPlan plan;
  plan.arrays = arrays;
  plan.chunks = gpus;
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) plan.gpus.push_back(steps_of(gpu));
  return plan;
}

// Step s of a ring: adds what step s - 1 of the neighbour upstream has sent and passes the sum on; the last
// one keeps it. Announcements of the ring begin with `first`.
KernelStep reduce_step(std::uint32_t gpus, std::uint32_t gpu, std::uint32_t next, std::uint32_t chunk,
                       std::uint32_t s, std::uint32_t first) {
  const bool last = s + 1 == gpus;
  KernelStep step;
  step.chunk = chunk;
  step.reads = {0};
  if (s > 0) {
    step.reads.push_back(1);
    step.waits_for = first + s - 1;
  }
  step.gpu = narrow<std::uint16_t>(last ? gpu : next);
  step.array = !last;
  step.announces = narrow<std::uint8_t>(first + s);
  return step;
}

// Step s of a ring, or step 0 of a direct exchange: passes on what has come in step s - 1.
KernelStep send_step(std::uint32_t next, std::uint32_t chunk, std::uint32_t s, std::uint32_t first) {
  KernelStep step;
  step.chunk = chunk;
  step.reads = {0};
  step.gpu = narrow<std::uint16_t>(next);
  step.announces = narrow<std::uint8_t>(first + s);
  if (s > 0) step.waits_for = first + s - 1;
  return step;
}

// Chunk c to GPU c, for all c but the own one, kept apart there.
std::vector<KernelStep> scatter_steps(std::uint32_t gpus, std::uint32_t gpu) {
  std::vector<KernelStep> steps;
  for (std::uint32_t d = 1; d < gpus; ++d) {
    const std::uint32_t to = (gpu + d) % gpus;
    steps.push_back(send_step(to, to, 0, 0));
    steps.back().array = receive_array(gpus, gpu, to);
  }
  return steps;
}

}  // namespace

KernelPlan kernel_ring_reduce_scatter(std::uint32_t gpus, std::uint32_t behind) {
  return for_each_gpu(gpus, 2, [&](std::uint32_t gpu) {
    std::vector<KernelStep> steps;
    for (std::uint32_t s = 0; s < gpus; ++s)
      steps.push_back(
          reduce_step(gpus, gpu, ring_next(gpus, gpu), (gpu + s + gpus + 1 - behind) % gpus, s, 0));
    return steps;
  });
}

KernelPlan kernel_ring_all_gather(std::uint32_t gpus, std::uint32_t behind) {
  return for_each_gpu(gpus, 1, [&](std::uint32_t gpu) {
    std::vector<KernelStep> steps;
    for (std::uint32_t s = 0; s + 1 < gpus; ++s)
      steps.push_back(send_step(ring_next(gpus, gpu), (gpu + gpus - behind + s) % gpus, s, 0));
    return steps;
  });
}

KernelPlan kernel_bidirectional_reduce_scatter(std::uint32_t gpus) {
  KernelPlan plan = for_each_gpu(gpus, 2, [&](std::uint32_t gpu) {
    std::vector<KernelStep> steps;
    for (std::uint32_t s = 0; s < gpus; ++s) {
      steps.push_back(reduce_step(gpus, gpu, ring_next(gpus, gpu), (gpu + s) % gpus, s, 0));
      steps.push_back(reduce_step(gpus, gpu, (gpu + 1) % gpus, gpus + (gpu + gpus - s) % gpus, s, gpus));
    }
    return steps;
  });
  plan.chunks = 2 * gpus;
  return plan;
}

KernelPlan kernel_bidirectional_all_gather(std::uint32_t gpus) {
  KernelPlan plan = for_each_gpu(gpus, 1, [&](std::uint32_t gpu) {
    std::vector<KernelStep> steps;
    for (std::uint32_t s = 0; s + 1 < gpus; ++s) {
      steps.push_back(send_step(ring_next(gpus, gpu), (gpu + gpus - 1 + s) % gpus, s, 0));
      steps.push_back(send_step((gpu + 1) % gpus, gpus + (gpu + 1 + gpus - s) % gpus, s, gpus));
    }
    return steps;
  });
  plan.chunks = 2 * gpus;
  return plan;
}

// Every GPU scatters its partial results, then adds up what has come for its own chunk.
KernelPlan kernel_direct_reduce_scatter(std::uint32_t gpus) {
  return for_each_gpu(gpus, gpus, [&](std::uint32_t gpu) {
    std::vector<KernelStep> steps = scatter_steps(gpus, gpu);
    KernelStep reduce;
    reduce.chunk = gpu;
    for (std::uint32_t a = 0; a < gpus; ++a) reduce.reads.push_back(narrow<std::uint8_t>(a));
    reduce.gpu = narrow<std::uint16_t>(gpu);
    reduce.waits_for = 0;
    steps.push_back(reduce);
    return steps;
  });
}

KernelPlan kernel_direct_all_gather(std::uint32_t gpus) {
  std::vector<std::uint32_t> owners(gpus);
  std::iota(owners.begin(), owners.end(), 0U);
  return kernel_direct_all_gather(gpus, owners);
}

KernelPlan kernel_direct_all_gather(std::uint32_t gpus, const std::vector<std::uint32_t>& owners) {
  KernelPlan plan = for_each_gpu(gpus, 1, [&](std::uint32_t gpu) {
    std::vector<KernelStep> steps;
    for (std::uint32_t d = 1; d < gpus; ++d)
      for (std::uint32_t c = 0; c < owners.size(); ++c)
        if (owners[c] == gpu) steps.push_back(send_step((gpu + d) % gpus, c, 0, 0));
    return steps;
  });
  plan.chunks = narrow<std::uint32_t>(owners.size());
  return plan;
}

KernelPlan kernel_all_to_all(std::uint32_t gpus) {
  return for_each_gpu(gpus, gpus, [&](std::uint32_t gpu) { return scatter_steps(gpus, gpu); });
}

}  // namespace t3sim
