#include "system/scheme_table.h"

#include <fmt/format.h>

namespace t3sim {

SchemeTable::SchemeTable(const Config& config) : config_(config) {
  if (runs_collective(config)) collectives_ = t3sim::collectives(config);
}

ArbitrationKind SchemeTable::policy(ArbitrationKind of_scheme) const {
  switch (config_.arbitration.policy) {
    case ArbitrationSetting::scheme:
      return of_scheme;
    case ArbitrationSetting::round_robin:
      return ArbitrationKind::round_robin;
    case ArbitrationSetting::compute_first:
      return ArbitrationKind::compute_first;
    case ArbitrationSetting::mca:
      return ArbitrationKind::mca;
  }
  return of_scheme;
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
  SchemePhase dma{phase(PhaseKind::dma), collectives_.name + " (nmc)", collectives_.key + "_us"};
  dma.phase.plan = collectives_.by_dma;
  return dma;
}

SchemePhase SchemeTable::fused(ArbitrationKind arbitration) const {
  const PhaseKind kind = collectives_.on == CollectiveOn::output  ? PhaseKind::fused
                         : collectives_.on == CollectiveOn::input ? PhaseKind::gathered
                                                                  : PhaseKind::concurrent;
  SchemePhase fused{phase(kind), "fused", "fused_us"};
  fused.phase.plan = kind == PhaseKind::fused ? collectives_.fused : collectives_.by_dma;
  fused.phase.arbitration = policy(arbitration);
  if (fused.phase.arbitration == ArbitrationKind::mca) fused.name += " (mca)";
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
  const bool is_fused = id == SchemeId::t3 || id == SchemeId::t3_mca;
  const auto& gather = id == SchemeId::ideal_rs_nmc ? collectives_.gather_after_dma
                       : is_fused                   ? collectives_.gather_after_fused
                                                    : collectives_.gather_after_kernel;
  if (gather) {
    SchemePhase tail{phase(PhaseKind::collective_kernel), "all-gather", "ag_us"};
    tail.phase.collective = Traffic::ag;
    tail.phase.steps = gather;
    s.phases.push_back(tail);
  }
  return s;
}

std::string SchemeTable::explanation() const { return describe(*collectives_.plan()); }

std::string SchemeTable::exchange_key() const { return collectives_.key == "a2a" ? "a2a" : "rs"; }

}  // namespace t3sim
