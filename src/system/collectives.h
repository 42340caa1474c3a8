// The collective of a configuration in all its forms: fused with the GEMM, driven by DMA, as a kernel.
#pragma once

#include <memory>
#include <string>

#include "plan/kernel_plan.h"
#include "plan/plan.h"
#include "system/gpu.h"

namespace t3sim {

struct Collectives {
  std::string name;  // of the exchange: "reduce-scatter"
  std::string key;   // of its results: rs, ag, a2a
  Traffic traffic = Traffic::rs;
  CollectiveOn on = CollectiveOn::output;
  std::shared_ptr<const CollectivePlan> fused;  // producer and exchange; null where a kernel does not produce
  std::shared_ptr<const CollectivePlan> by_dma;  // of data in memory
  std::shared_ptr<const KernelPlan> kernel;      // on CUs
  std::shared_ptr<const KernelPlan> gather;      // all-gather after a reduce-scatter; null: none
};

// Throws InputError when a plan cannot be.
Collectives collectives(const Config& config);

}  // namespace t3sim
