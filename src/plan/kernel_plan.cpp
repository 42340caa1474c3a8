#include "plan/kernel_plan.h"

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

}  // namespace

KernelPlan kernel_ring_reduce_scatter(std::uint32_t gpus) {
  return for_each_gpu(gpus, 2, [&](std::uint32_t gpu) {
    std::vector<KernelStep> steps;
    for (std::uint32_t s = 0; s < gpus; ++s) {
      KernelStep step;
      step.chunk = (gpu + s) % gpus;
      step.reads = {0};
      if (s > 0) {
        step.reads.push_back(1);
        step.waits_for = s - 1;
      }
      const bool last = s + 1 == gpus;
      step.gpu = last ? static_cast<std::uint16_t>(gpu) : ring_next(gpus, gpu);
      step.array = !last;
      step.announces = static_cast<std::uint8_t>(s);
      steps.push_back(step);
    }
    return steps;
  });
}

KernelPlan kernel_ring_all_gather(std::uint32_t gpus) {
  return for_each_gpu(gpus, 1, [&](std::uint32_t gpu) {
    std::vector<KernelStep> steps;
    for (std::uint32_t s = 0; s + 1 < gpus; ++s) {
      KernelStep step;
      step.chunk = (gpu + gpus - 1 + s) % gpus;
      step.reads = {0};
      step.gpu = ring_next(gpus, gpu);
      step.announces = static_cast<std::uint8_t>(s);
      if (s > 0) step.waits_for = s - 1;
      steps.push_back(step);
    }
    return steps;
  });
}

// Every GPU scatters its partial results, then adds up what has come for its own chunk.
KernelPlan kernel_direct_reduce_scatter(std::uint32_t gpus) {
  return for_each_gpu(gpus, gpus, [&](std::uint32_t gpu) {
    std::vector<KernelStep> steps;
    for (std::uint32_t d = 1; d < gpus; ++d) {
      KernelStep step;
      step.gpu = static_cast<std::uint16_t>((gpu + d) % gpus);
      step.chunk = step.gpu;
      step.reads = {0};
      step.array = receive_array(gpus, gpu, step.gpu);
      steps.push_back(step);
    }
    KernelStep reduce;
    reduce.chunk = gpu;
    for (std::uint32_t a = 0; a < gpus; ++a) reduce.reads.push_back(static_cast<std::uint8_t>(a));
    reduce.gpu = static_cast<std::uint16_t>(gpu);
    reduce.waits_for = 0;
    steps.push_back(reduce);
    return steps;
  });
}

KernelPlan kernel_direct_all_gather(std::uint32_t gpus) {
  return for_each_gpu(gpus, 1, [&](std::uint32_t gpu) {
    std::vector<KernelStep> steps;
    for (std::uint32_t d = 1; d < gpus; ++d) {
      KernelStep step;
      step.chunk = gpu;
      step.reads = {0};
      step.gpu = static_cast<std::uint16_t>((gpu + d) % gpus);
      steps.push_back(step);
    }
    return steps;
  });
}

KernelPlan kernel_all_to_all(std::uint32_t gpus) {
  return for_each_gpu(gpus, gpus, [&](std::uint32_t gpu) {
    std::vector<KernelStep> steps;
    for (std::uint32_t d = 1; d < gpus; ++d) {
      KernelStep step;
      step.gpu = static_cast<std::uint16_t>((gpu + d) % gpus);
      step.chunk = step.gpu;
      step.reads = {0};
      step.array = receive_array(gpus, gpu, step.gpu);
      steps.push_back(step);
    }
    return steps;
  });
}

}  // namespace t3sim
