// What the phases of schemes are made of: the collective in all its forms, and the kernels around it. Each is made once, so
// that schemes share their phases.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "run/collectives.h"

namespace t3sim {

class SchemeParts {
 public:
  // Throws InputError when a plan cannot be.
  SchemeParts(const Config& config, bool with_collective);

  // That of the configuration; empty without one.
  const Collectives& collectives() const { return collectives_; }
  // With another algorithm, or another plan of the fused phase; empty: the configuration's. Throws InputError.
  const Collectives& collectives(const std::string& algorithm, const std::string& plan);

  // Null where there is nothing to zero, or zeros are assumed.
  std::shared_ptr<const KernelPlan> zeros_before(const Phase& phase);
  // The operation that follows, on the whole output.
  const std::shared_ptr<const KernelPlan>& following() const { return following_; }
  // On the parts that `gather` will spread.
  std::shared_ptr<const KernelPlan> following_near_memory(const std::shared_ptr<const KernelPlan>& gather);
  // Are there zeros to write, or operations that follow, in any form?
  bool has_other_traffic() const { return has_other_traffic_; }

 private:
  std::shared_ptr<const KernelPlan> zeros_of(const std::shared_ptr<const CollectivePlan>& plan,
                                             std::uint32_t split_k);

  const Config& config_;
  std::uint32_t split_k_ = 1;
  bool has_other_traffic_ = false;
  Collectives collectives_;
  std::map<std::pair<std::string, std::string>, Collectives> others_;  // by algorithm and plan
  std::map<std::pair<const CollectivePlan*, std::uint32_t>, std::shared_ptr<const KernelPlan>> zeros_;
  std::shared_ptr<const KernelPlan> gemm_zeros_, following_;
  std::map<const KernelPlan*, std::shared_ptr<const KernelPlan>> near_memory_;  // by all-gather
};

}  // namespace t3sim
