// Kernels around a collective that no other GPU takes part in: zeros where op-and-store will add, and the
// operation that follows an all-reduce (section 7.6).
#pragma once

#include <cstdint>

#include "plan/kernel_plan.h"
#include "plan/plan.h"

namespace t3sim {

// Zeros over every chunk that the plan expects to be zero and updates: see plan_check.h. `split_k`: of the
// kernel that produces it, whose stores are all updates where it is more than 1.
KernelPlan kernel_zeros(const CollectivePlan& plan, std::uint32_t split_k);
// Over the whole of array 0.
KernelPlan kernel_zeros(std::uint32_t gpus);

// Arrays `first` to `first + count - 1` hold what the operation reads beside its subject.
struct Operands {
  std::uint32_t first = 1, count = 1;
};
// Every GPU reads the whole of array 0 and of the operands, and writes array 0.
KernelPlan kernel_following(std::uint32_t gpus, Operands operands);
// Before the all-gather `gather`: every GPU adds the operands of the chunks that it will spread to them, near
// memory.
KernelPlan near_memory_following(const KernelPlan& gather, Operands operands);

}  // namespace t3sim
