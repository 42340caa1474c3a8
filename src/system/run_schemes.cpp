#include "system/run_schemes.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "system/functional.h"
#include "system/node.h"
#include "system/report_rows.h"

namespace t3sim {
namespace {

ArbitrationKind policy(const Config& config, ArbitrationKind of_scheme) {
  switch (config.arbitration.policy) {
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

// A scheme: the phases that its numbers come from, and how their times combine.
struct Scheme {
  enum class Combine { sum, overlap };  // overlap: max(GEMM, RS) + AG
  SchemeId id;
  Combine combine;
  std::vector<Phase> phases;
};

Scheme scheme(const Config& config, SchemeId id) {
  const auto phase = [&](PhaseKind kind) {
    return Phase{kind, policy(config, ArbitrationKind::round_robin), nullptr};
  };
  const auto fused = [&](ArbitrationKind arbitration) {
    return Phase{PhaseKind::fused, policy(config, arbitration), fused_ring_reduce_scatter};
  };
  const Phase near_memory{PhaseKind::dma_reduce_scatter, policy(config, ArbitrationKind::round_robin),
                          dma_ring_reduce_scatter};
  const Phase gemm = phase(PhaseKind::gemm);
  const Phase gather = phase(PhaseKind::all_gather);
  using enum Scheme::Combine;
  switch (id) {
    case SchemeId::sequential:
      return {id, sum, {gemm, phase(PhaseKind::reduce_scatter), gather}};
    case SchemeId::t3:
      return {id, sum, {fused(ArbitrationKind::round_robin), gather}};
    case SchemeId::t3_mca:
      return {id, sum, {fused(ArbitrationKind::mca), gather}};
    case SchemeId::ideal_overlap:
      return {id, overlap, {gemm, phase(PhaseKind::reduce_scatter), gather}};
    case SchemeId::ideal_rs_nmc:
      return {id, overlap, {gemm, near_memory, gather}};
    case SchemeId::kernel:
      return {id, sum, {phase(PhaseKind::kernel)}};
  }
  return {};
}

const char* time_key(PhaseKind kind) {
  switch (kind) {
    case PhaseKind::kernel:
      return "kernel_us";
    case PhaseKind::gemm:
      return "gemm_us";
    case PhaseKind::fused:
      return "fused_us";
    case PhaseKind::all_gather:
      return "ag_us";
    case PhaseKind::reduce_scatter:
    case PhaseKind::dma_reduce_scatter:
      return "rs_us";
  }
  return "";
}

std::string phase_name(const Phase& phase) {
  switch (phase.kind) {
    case PhaseKind::kernel:
      return "kernel";
    case PhaseKind::gemm:
      return "gemm";
    case PhaseKind::fused:
      return phase.arbitration == ArbitrationKind::mca ? "fused (mca)" : "fused";
    case PhaseKind::all_gather:
      return "all-gather";
    case PhaseKind::reduce_scatter:
      return "reduce-scatter";
    case PhaseKind::dma_reduce_scatter:
      return "reduce-scatter (nmc)";
  }
  return "";
}

// A simulated phase, reduced to what the report needs.
struct Simulated {
  std::optional<SchemeId> of;  // the only scheme it belongs to; none: the same for all
  PhaseResult result;
  PhaseRows rows;
};

class Runner {
 public:
  Runner(const Config& config, Progress& progress)
      : config_(config), progress_(progress), time_(time_base(config)) {}

  RunReport run();

 private:
  std::vector<Scheme> wanted() const;
  void simulate_all(const std::vector<Scheme>& schemes);
  void simulate_functional(const Scheme& scheme);
  void simulate_kept(const Scheme& scheme);
  Simulated& simulate(const Phase& phase, std::vector<FunctionalGpu>* functional,
                      std::vector<std::vector<L2Contents>>* l2 = nullptr);
  const Simulated* find(SchemeId scheme, const Phase& phase) const;
  SchemeResult combine(const Scheme& scheme) const;
  void add_rows(const Scheme& scheme, RunReport& report) const;

  const Config& config_;
  Progress& progress_;
  TimeBase time_;
  std::vector<std::unique_ptr<Simulated>> done_;
  unsigned phases_ = 0, phase_ = 0;
  FunctionalResult functional_;
};

const Simulated* Runner::find(SchemeId scheme, const Phase& phase) const {
  for (const auto& done : done_)
    if (done->result.phase == phase && done->of.value_or(scheme) == scheme) return done.get();
  return nullptr;
}

Simulated& Runner::simulate(const Phase& phase, std::vector<FunctionalGpu>* functional,
                            std::vector<std::vector<L2Contents>>* l2) {
  progress_.begin(phase_name(phase), ++phase_, phases_);
  Node node(config_, phase, time_, functional, l2);
  auto simulated = std::make_unique<Simulated>();
  simulated->result = node.run([&](double done) { progress_.update(done); });
  progress_.end();
  simulated->rows = collect_rows(simulated->result, time_);
  simulated->result.gpus.clear();
  done_.push_back(std::move(simulated));
  return *done_.back();
}

// Functional mode runs the phases of a scheme one after the other on the same memory, then looks at the sums.
void Runner::simulate_functional(const Scheme& scheme) {
  std::vector<FunctionalGpu> state = functional_state(config_);
  for (const Phase& phase : scheme.phases) simulate(phase, &state);
  const FunctionalResult checked = check_sums(config_, state);
  functional_.elements += checked.elements;
  functional_.errors += checked.errors;
}

// Where the L2 keeps its contents between kernels, a phase depends on those before it in its scheme.
void Runner::simulate_kept(const Scheme& scheme) {
  std::vector<std::vector<L2Contents>> l2;
  for (const Phase& phase : scheme.phases) simulate(phase, nullptr, &l2).of = scheme.id;
}

void Runner::simulate_all(const std::vector<Scheme>& schemes) {
  if (config_.l2.kernel_boundary == KernelBoundary::keep) {
    for (const Scheme& scheme : schemes) phases_ += static_cast<unsigned>(scheme.phases.size());
    for (const Scheme& scheme : schemes) simulate_kept(scheme);
    return;
  }
  if (config_.run.functional) {
    for (const Scheme& scheme : schemes) phases_ += static_cast<unsigned>(scheme.phases.size());
    for (const Scheme& scheme : schemes)
      if (scheme.id != SchemeId::ideal_overlap) simulate_functional(scheme);
    return;
  }
  std::vector<Phase> phases;
  for (const Scheme& scheme : schemes)
    for (const Phase& phase : scheme.phases)
      if (std::find(phases.begin(), phases.end(), phase) == phases.end()) phases.push_back(phase);
  phases_ = static_cast<unsigned>(phases.size());
  for (const Phase& phase : phases) simulate(phase, nullptr);
}

// The sequential scheme first: it is what the others are compared with.
std::vector<Scheme> Runner::wanted() const {
  std::vector<Scheme> schemes;
  if (runs_collective(config_)) schemes.push_back(scheme(config_, SchemeId::sequential));
  for (SchemeId id : config_.schemes)
    if (id != SchemeId::sequential) schemes.push_back(scheme(config_, id));
  return schemes;
}

SchemeResult Runner::combine(const Scheme& scheme) const {
  SchemeResult out;
  out.name = to_string(scheme.id);
  DramBytes dram;
  double overlapped = 0;
  for (const Phase& phase : scheme.phases) {
    const PhaseResult& r = find(scheme.id, phase)->result;
    out.phases.emplace_back(time_key(phase.kind), r.time_us);
    if (scheme.combine == Scheme::Combine::overlap && phase.kind != PhaseKind::all_gather)
      overlapped = std::max(overlapped, r.time_us);
    else
      out.time_us += r.time_us;
    dram.gemm_read += r.dram.gemm_read;
    dram.gemm_write += r.dram.gemm_write;
    dram.rs_read += r.dram.rs_read;
    dram.rs_write += r.dram.rs_write;
    dram.ag_read += r.dram.ag_read;
    dram.ag_write += r.dram.ag_write;
    out.link_bytes += r.link_bytes;
    out.host_seconds += r.host_seconds;
    out.events += r.events;
    if (r.tracked)
      out.tracker = {{"peak_entries", std::uint64_t{r.tracker.peak_entries}},
                     {"peak_set_entries", std::uint64_t{r.tracker.peak_set_entries}},
                     {"spilled_entries", r.tracker.spilled_entries},
                     {"stalled_stores", r.stalled_stores},
                     {"completed_entries", r.tracker.completed_entries}};
  }
  out.time_us += overlapped;
  out.dram_bytes = {{"gemm_read", dram.gemm_read}, {"gemm_write", dram.gemm_write},
                    {"rs_read", dram.rs_read},     {"rs_write", dram.rs_write},
                    {"ag_read", dram.ag_read},     {"ag_write", dram.ag_write}};
  return out;
}

void Runner::add_rows(const Scheme& scheme, RunReport& report) const {
  if (scheme.combine == Scheme::Combine::overlap) return;  // computed from runs that other schemes report
  for (const Phase& phase : scheme.phases) {
    const PhaseRows& rows = find(scheme.id, phase)->rows;
    for (StatRow row : rows.stats) {
      row.scheme = to_string(scheme.id);
      row.phase = phase_name(phase);
      report.stats.push_back(std::move(row));
    }
    for (SeriesRow row : rows.series) {
      row.scheme = to_string(scheme.id);
      row.phase = phase_name(phase);
      report.series.push_back(std::move(row));
    }
  }
}

RunReport Runner::run() {
  const std::vector<Scheme> schemes = wanted();
  simulate_all(schemes);
  RunReport report;
  const WorkloadConfig& w = config_.workload;
  report.workload = {w.name, w.m, w.n, w.k, config_.gpus.count, {}};
  double sequential_us = 0;
  for (const Scheme& s : schemes) {
    SchemeResult result = combine(s);
    if (s.id == SchemeId::sequential) sequential_us = result.time_us;
    result.speedup = sequential_us > 0 ? sequential_us / result.time_us : 1.0;
    const bool asked =
        std::find(config_.schemes.begin(), config_.schemes.end(), s.id) != config_.schemes.end();
    if (!asked) continue;
    add_rows(s, report);
    report.schemes.push_back(std::move(result));
  }
  for (const auto& simulated : done_) {
    report.host_seconds += simulated->result.host_seconds;
    report.events += simulated->result.events;
  }
  if (config_.run.functional) report.functional = functional_;
  if (runs_collective(config_))
    report.explanation = describe(fused_ring_reduce_scatter(config_.gpus.count, 0), 0);
  return report;
}

}  // namespace

PhaseResult run_kernel(const Config& config) {
  const Phase phase{PhaseKind::kernel, ArbitrationKind::round_robin, nullptr};
  return Node(config, phase, time_base(config), nullptr).run({});
}

RunReport run_schemes(const Config& config, const RunOptions&, Progress& progress) {
  return Runner(config, progress).run();
}

}  // namespace t3sim
