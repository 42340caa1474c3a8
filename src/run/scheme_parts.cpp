#include "run/scheme_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/nearest.h"
#include "plan/local_kernels.h"

namespace t3sim {
namespace {

std::shared_ptr<const KernelPlan> shared_kernel(KernelPlan plan) {
  return std::make_shared<const KernelPlan>(std::move(plan));
}

CollectiveAlgorithm algorithm_named(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& known : names_of(CollectiveAlgorithm{})) {
    if (known.name == name) return known.value;
    names.emplace_back(known.name);
  }
  const std::string near = nearest(name, names);
  throw InputError(fmt::format("unknown algorithm \"{}\"; {}allowed: {}", name,
                               near.empty() ? "" : fmt::format("did you mean {}? ", near),
                               fmt::join(names, ", ")));
}

}  // namespace

SchemeParts::SchemeParts(const Config& config, bool with_collective) : config_(config) {
  if (!with_collective) return;
  collectives_ = t3sim::collectives(config);
  const Collectives& c = collectives_;
  if (config.collective.zero_init == ZeroInit::simulated) {
    split_k_ = gemm_spec(config, 0).split_k;
    if (split_k_ > 1) gemm_zeros_ = shared_kernel(kernel_zeros(config.gpus.count));
    has_other_traffic_ = gemm_zeros_ || (c.fused && zeros_of(c.fused, split_k_)) || zeros_of(c.by_dma, 1);
  }
  if (config.workload.following.kind == FollowingKind::none || !c.gather_after_kernel) return;
  following_ = shared_kernel(
      kernel_following(config.gpus.count, {first_operand(c), config.workload.following.operands}));
  has_other_traffic_ = true;
}

const Collectives& SchemeParts::collectives(const std::string& algorithm, const std::string& plan) {
  if (algorithm.empty() && plan.empty()) return collectives_;
  const std::pair key(algorithm, plan);
  if (const auto made = others_.find(key); made != others_.end()) return made->second;
  Config other = config_;
  if (!algorithm.empty()) {
    other.collective.algorithm = algorithm_named(algorithm);
    other.collective.plan.clear();
  }
  if (!plan.empty()) other.collective.plan = plan;
  Collectives made = t3sim::collectives(other);
  if (following_ && first_operand(made) > first_operand(collectives_))
    throw InputError(
        fmt::format("its plan takes {} arrays; with workload.following at most {}, as the operands lie "
                    "behind those of the configuration's collective",
                    first_operand(made), first_operand(collectives_)));
  return others_.emplace(key, std::move(made)).first->second;
}

std::shared_ptr<const KernelPlan> SchemeParts::zeros_of(const std::shared_ptr<const CollectivePlan>& plan,
                                                        std::uint32_t split_k) {
  auto [entry, is_new] = zeros_.try_emplace({plan.get(), split_k});
  if (!is_new) return entry->second;
  KernelPlan kernel = kernel_zeros(*plan, split_k);
  const bool none = std::ranges::all_of(kernel.gpus, [](const auto& steps) { return steps.empty(); });
  if (!none) entry->second = shared_kernel(std::move(kernel));
  return entry->second;
}

std::shared_ptr<const KernelPlan> SchemeParts::zeros_before(const Phase& phase) {
  if (config_.collective.zero_init != ZeroInit::simulated) return nullptr;
  if (phase.tracked) return zeros_of(phase.tracked, phase.is_fused() ? split_k_ : 1);
  return phase.kernel && phase.kernel->as_gemm ? gemm_zeros_ : nullptr;
}

std::shared_ptr<const KernelPlan> SchemeParts::following_near_memory(
    const std::shared_ptr<const KernelPlan>& gather) {
  auto& made = near_memory_[gather.get()];
  if (!made)
    made = shared_kernel(
        near_memory_following(*gather, {first_operand(collectives_), config_.workload.following.operands}));
  return made;
}

}  // namespace t3sim
