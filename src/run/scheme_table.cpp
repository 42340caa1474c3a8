#include "run/scheme_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "memctrl/arbitration.h"
#include "plan/local_kernels.h"

namespace t3sim {

SchemeTable::SchemeTable(const Config& config) : config_(config) {
  if (!runs_collective(config)) return;
  collectives_ = t3sim::collectives(config);
  make_local_kernels();
}

// Once, so that schemes share their phases.
void SchemeTable::make_local_kernels() {
  using Kernel = std::shared_ptr<const KernelPlan>;
  const auto shared = [](KernelPlan plan) { return std::make_shared<const KernelPlan>(std::move(plan)); };
  const auto zeros = [&](const CollectivePlan& plan, std::uint32_t split_k) {
    KernelPlan kernel = kernel_zeros(plan, split_k);
    const bool none = std::ranges::all_of(kernel.gpus, [](const auto& steps) { return steps.empty(); });
    return none ? Kernel() : shared(std::move(kernel));
  };
  const Collectives& c = collectives_;
  if (config_.collective.zero_init == ZeroInit::simulated) {
    const std::uint32_t split_k = gemm_spec(config_, 0).split_k;
    if (c.fused) zeros_fused_ = zeros(*c.fused, split_k);
    zeros_dma_ = zeros(*c.by_dma, 1);
    if (split_k > 1) zeros_gemm_ = shared(kernel_zeros(config_.gpus.count));
  }
  if (config_.workload.following.kind == FollowingKind::none || !c.gather_after_kernel) return;
  const Operands operands{first_operand(c), config_.workload.following.operands};
  following_ = shared(kernel_following(config_.gpus.count, operands));
  if (config_.workload.following.kind != FollowingKind::near_memory) return;
  following_fused_ = shared(near_memory_following(*c.gather_after_fused, operands));
  following_dma_ = shared(near_memory_following(*c.gather_after_dma, operands));
}

bool SchemeTable::has_other_traffic() const {
  return zeros_fused_ || zeros_dma_ || zeros_gemm_ || following_;
}

ArbitrationKind SchemeTable::policy(ArbitrationKind of_scheme) const {
  return config_.arbitration.policy.kind.value_or(of_scheme);
}

Phase SchemeTable::phase(PhaseKind kind) const {
  Phase phase;
  phase.kind = kind;
  phase.arbitration = policy(ArbitrationKind::round_robin);
  phase.collective = collectives_.traffic;
  phase.on = collectives_.on;
  return phase;
}

// The GEMM alone, its tiles in the order of the fused one.
SchemePhase SchemeTable::gemm() const {
  SchemePhase gemm{phase(PhaseKind::gemm), "gemm", "gemm_us"};
  gemm.phase.collective = Traffic::gemm;
  gemm.phase.on = CollectiveOn::output;
  gemm.phase.plan = collectives_.fused;
  return gemm;
}

SchemePhase SchemeTable::kernel() const {
  SchemePhase kernel{phase(PhaseKind::collective_kernel), collectives_.name, collectives_.key + "_us"};
  kernel.phase.steps = collectives_.kernel;
  return kernel;
}

SchemePhase SchemeTable::by_dma() const {
  SchemePhase dma{phase(PhaseKind::dma), collectives_.name + (collectives_.key == "rs" ? " (nmc)" : " (DMA)"),
                  collectives_.key + "_us"};
  dma.phase.plan = collectives_.by_dma;
  return dma;
}

SchemePhase SchemeTable::local_kernel(std::shared_ptr<const KernelPlan> steps, const char* name,
                                      const char* key) const {
  SchemePhase local{phase(PhaseKind::collective_kernel), name, key};
  local.phase.collective = Traffic::other;
  local.phase.steps = std::move(steps);
  return local;
}

std::shared_ptr<const KernelPlan> SchemeTable::zeros_before(const Phase& phase) const {
  switch (phase.kind) {
    case PhaseKind::fused:
      return zeros_fused_;
    case PhaseKind::gemm:
      return zeros_gemm_;
    case PhaseKind::dma:
    case PhaseKind::gathered:
    case PhaseKind::concurrent:
      return zeros_dma_;
    case PhaseKind::kernel:
    case PhaseKind::collective_kernel:
      return nullptr;
  }
  return nullptr;
}

void SchemeTable::add_zeroing(Scheme& scheme) const {
  for (std::size_t i = 0; i < scheme.phases.size(); ++i)
    if (const auto zeros = zeros_before(scheme.phases[i].phase))
      scheme.phases.insert(scheme.phases.begin() + narrow<std::ptrdiff_t>(i++),
                           local_kernel(zeros, "zeroing", "zero_us"));
}

SchemePhase SchemeTable::fused(ArbitrationKind arbitration) const {
  const PhaseKind kind = collectives_.on == CollectiveOn::output  ? PhaseKind::fused
                         : collectives_.on == CollectiveOn::input ? PhaseKind::gathered
                                                                  : PhaseKind::concurrent;
  SchemePhase fused{phase(kind), "fused", "fused_us"};
  fused.phase.plan = kind == PhaseKind::fused ? collectives_.fused : collectives_.by_dma;
  fused.phase.arbitration = policy(arbitration);
  fused.name = arbitration_policy(fused.phase.arbitration).fused_phase;
  return fused;
}

Scheme SchemeTable::scheme(SchemeId id) const {
  if (id == SchemeId::kernel) {
    Phase alone = phase(PhaseKind::kernel);
    alone.on = CollectiveOn::output;
    return {id, false, {{alone, "kernel", "kernel_us"}}};
  }
  Scheme s{id, false, {}};
  const auto overlapped = [](SchemePhase phase) {
    phase.overlapped = true;
    return phase;
  };
  switch (id) {
    case SchemeId::sequential:
      s.phases = {gemm(), kernel()};
      if (collectives_.on == CollectiveOn::input) std::swap(s.phases[0], s.phases[1]);
      break;
    case SchemeId::t3:
      s.phases = {fused(ArbitrationKind::round_robin)};
      break;
    case SchemeId::t3_mca:
      s.phases = {fused(ArbitrationKind::mca)};
      break;
    case SchemeId::ideal_overlap:
      s.computed = true;
      s.phases = {overlapped(gemm()), overlapped(kernel())};
      break;
    case SchemeId::ideal_rs_nmc:
      s.computed = true;
      s.phases = {overlapped(gemm()), overlapped(by_dma())};
      break;
    case SchemeId::kernel:
      break;
  }
  add_tail(s);
  add_zeroing(s);
  return s;
}

void SchemeTable::add_tail(Scheme& s) const {
  const SchemeId id = s.id;
  const bool is_fused = id == SchemeId::t3 || id == SchemeId::t3_mca;
  const auto& gather = id == SchemeId::ideal_rs_nmc ? collectives_.gather_after_dma
                       : is_fused                   ? collectives_.gather_after_fused
                                                    : collectives_.gather_after_kernel;
  const auto& near_memory = id == SchemeId::ideal_rs_nmc ? following_dma_
                            : is_fused                   ? following_fused_
                                                         : nullptr;
  if (near_memory) s.phases.push_back(local_kernel(near_memory, "following (nmc)", "following_us"));
  if (gather) {
    SchemePhase tail{phase(PhaseKind::collective_kernel), "all-gather", "ag_us"};
    tail.phase.collective = Traffic::ag;
    tail.phase.steps = gather;
    s.phases.push_back(tail);
  }
  if (following_ && !near_memory) s.phases.push_back(local_kernel(following_, "following", "following_us"));
}

std::string SchemeTable::explanation() const { return describe(*collectives_.plan()); }

std::string SchemeTable::exchange_key() const { return collectives_.key.empty() ? "rs" : collectives_.key; }

}  // namespace t3sim
