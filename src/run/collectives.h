// The collective of a configuration in all its forms: fused with the GEMM, driven by DMA, as a kernel.
#pragma once

#include <memory>
#include <string>

#include "machine/phase.h"
#include "plan/kernel_plan.h"
#include "plan/plan.h"

namespace t3sim {

struct Collectives {
  std::string name;  // of the exchange: "reduce-scatter"
  std::string key;   // of its results: rs, ag, a2a
  Traffic traffic = Traffic::rs;
  CollectiveOn on = CollectiveOn::output;
  std::shared_ptr<const CollectivePlan> fused;   // produced by the GEMM; null where it is not
  std::shared_ptr<const CollectivePlan> by_dma;  // of data in memory
  std::shared_ptr<const KernelPlan> kernel;      // on CUs
  // All-gather after a reduce-scatter, by form of the latter (custom plans may leave chunks elsewhere); null:
  // none.
  std::shared_ptr<const KernelPlan> gather_after_fused, gather_after_dma, gather_after_kernel;

  const std::shared_ptr<const CollectivePlan>& plan() const { return fused ? fused : by_dma; }
};

// A collective in the form in which a scheme has it: by Tracker and DMA, or by a kernel. Neither: it has none.
struct ExchangeForm {
  std::shared_ptr<const CollectivePlan> plan;
  std::shared_ptr<const KernelPlan> kernel;
};

// Throws InputError when a plan cannot be, or needs a link that the topology does not have.
Collectives collectives(const Config& config);

// Array in which the operation that follows finds its first operand: behind those of all forms.
std::uint32_t first_operand(const Collectives& collectives);

}  // namespace t3sim
