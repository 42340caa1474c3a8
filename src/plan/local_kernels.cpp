#include "plan/local_kernels.h"

#include <algorithm>

#include "base/number.h"

namespace t3sim {
namespace {

bool produces(const CollectivePlan& plan) {
  return std::ranges::any_of(plan.gpus, [](const GpuPlan& gpu) { return !gpu.order.empty(); });
}

KernelStep step_on(std::uint32_t gpu, std::uint32_t chunk) {
  KernelStep step;
  step.gpu = narrow<std::uint16_t>(gpu);
  step.chunk = chunk;
  return step;
}

void read(KernelStep& step, Operands operands) {
  for (std::uint32_t i = 0; i < operands.count; ++i)
    step.reads.push_back(narrow<std::uint8_t>(operands.first + i));
}

}  // namespace

KernelPlan kernel_zeros(const CollectivePlan& plan, std::uint32_t split_k) {
  KernelPlan zeros{plan.arrays, plan.chunks, {}};
  for (std::uint32_t g = 0; g < plan.gpus.size(); ++g) {
    std::vector<KernelStep> steps;
    const std::vector<MemoryUpdates> updates = memory_updates(plan, g, split_k);
    for (std::uint32_t a = produces(plan) ? 0 : 1; a < plan.arrays; ++a)
      for (std::uint32_t c = 0; c < plan.chunks; ++c) {
        const MemoryUpdates& here = updates[a * plan.chunks + c];
        if (plan.at(g, a, c).present || here.own + here.arriving == 0) continue;
        steps.push_back(step_on(g, c));
        steps.back().array = narrow<std::uint8_t>(a);
      }
    zeros.gpus.push_back(std::move(steps));
  }
  return zeros;
}

KernelPlan kernel_zeros(std::uint32_t gpus) {
  KernelPlan zeros{1, gpus, {}};
  for (std::uint32_t g = 0; g < gpus; ++g) {
    zeros.gpus.emplace_back();
    for (std::uint32_t c = 0; c < gpus; ++c) zeros.gpus[g].push_back(step_on(g, c));
  }
  return zeros;
}

KernelPlan kernel_following(std::uint32_t gpus, Operands operands) {
  KernelPlan plan = kernel_zeros(gpus);
  plan.arrays = operands.first + operands.count;
  for (auto& steps : plan.gpus)
    for (KernelStep& step : steps) {
      step.reads = {0};
      read(step, operands);
    }
  return plan;
}

KernelPlan near_memory_following(const KernelPlan& gather, Operands operands) {
  KernelPlan plan{operands.first + operands.count, gather.chunks, {}};
  for (std::uint32_t g = 0; g < gather.gpus.size(); ++g) {
    std::vector<KernelStep> steps;
    for (const KernelStep& sent : gather.gpus[g]) {
      const bool own = sent.waits_for == KernelStep::kNoWait;
      if (!own || std::ranges::any_of(steps, [&](const auto& s) { return s.chunk == sent.chunk; })) continue;
      steps.push_back(step_on(g, sent.chunk));
      steps.back().update = true;
      read(steps.back(), operands);
    }
    plan.gpus.push_back(std::move(steps));
  }
  return plan;
}

}  // namespace t3sim
