#include "run/run_schemes.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <set>

#include "base/number.h"
#include "machine/cluster.h"
#include "machine/fabric_setup.h"
#include "results/timeline/trace.h"
#include "run/functional.h"
#include "run/gap.h"
#include "run/limits.h"
#include "run/network_report.h"
#include "run/report_rows.h"
#include "run/scheme_table.h"
#include "sim/tasks.h"

namespace t3sim {
namespace {

// A simulated phase, reduced to what the report needs.
struct Simulated {
  // Whose runs it belongs to, as what ran before it in the L2 matters; none: it starts clean, for all schemes.
  std::optional<SchemeId> of;
  PhaseResult result;
  PhaseRows rows;
  LinkLoads loads;
  Leftovers leftovers;
  std::atomic<unsigned> need_leftovers = 0;  // simulations to come
  bool charged = false;                      // to a scheme: what it cost
};

// A simulation that is to be made.
struct Planned {
  std::optional<SchemeId> of;
  const SchemePhase* phase = nullptr;
  const Phase* before = nullptr;  // that has left dirty lines; with `of`
};

// The scheme whose runs a scheme's numbers come from.
SchemeId runs_of(SchemeId scheme) {
  return scheme == SchemeId::ideal_overlap ? SchemeId::sequential : scheme;
}

class Runner {
 public:
  Runner(const Config& config, const RunOptions& options, Progress& progress)
      : config_(config), options_(options), progress_(progress), time_(time_base(config)), schemes_(config) {}

  RunReport run();

 private:
  std::vector<Scheme> wanted() const;
  bool asked_for(const Scheme& scheme) const;
  void simulate_all(const std::vector<Scheme>& schemes);
  void plan_functional(const std::vector<Scheme>& schemes);
  void plan_kept(const std::vector<Scheme>& runs);
  void plan_flushed(const std::vector<Scheme>& runs);
  std::vector<Scheme> runs_of_all(const std::vector<Scheme>& schemes) const;
  std::vector<Planned> plan(const std::vector<Scheme>& runs) const;
  bool leaves_dirty_lines(const Phase& phase) const;
  unsigned threads_of_phase() const;
  std::size_t add(const SchemePhase& phase, std::optional<SchemeId> of);
  void simulate(std::size_t index, const SchemePhase& phase, const Handover& handover);
  Simulated* find(SchemeId scheme, const Phase& phase) const;
  SchemeResult combine(const Scheme& scheme);
  std::string no_gap() const;
  GapResult gap(const Scheme& scheme) const;
  void add_rows(const Scheme& scheme, RunReport& report) const;
  void add_trace(const std::vector<Scheme>& schemes, RunReport& report) const;
  void add_network(const std::vector<Scheme>& schemes, RunReport& report) const;
  std::vector<Route> used_routes(const std::vector<Scheme>& schemes) const;
  void add_ways(const std::vector<Scheme>& schemes, RunReport& report) const;

  const Config& config_;
  const RunOptions& options_;
  Progress& progress_;
  TimeBase time_;
  SchemeTable schemes_;
  std::vector<std::unique_ptr<Simulated>> done_;
  std::vector<Task> tasks_;  // that make them
  // Where functional mode or the L2 carry on from phase to phase: by scheme.
  std::vector<std::vector<FunctionalGpu>> functional_states_;
  std::vector<std::vector<std::vector<L2Contents>>> kept_;
  FunctionalResult functional_;
};

Simulated* Runner::find(SchemeId scheme, const Phase& phase) const {
  Simulated* clean = nullptr;
  for (const auto& done : done_) {
    if (done->result.phase != phase) continue;
    if (done->of == runs_of(scheme)) return done.get();
    if (!done->of && !clean) clean = done.get();
  }
  return clean;
}

std::size_t Runner::add(const SchemePhase& phase, std::optional<SchemeId> of) {
  done_.push_back(std::make_unique<Simulated>());
  done_.back()->of = of;
  done_.back()->result.phase = phase.phase;
  return done_.size() - 1;
}

// Explicit GPUs share the threads out among themselves; phases run side by side on what is left.
unsigned Runner::threads_of_phase() const {
  const bool mirror = config_.gpus.model == GpuModel::mirror;
  return std::clamp<unsigned>(options_.threads, 1, mirror ? 1 : config_.gpus.count);
}

void Runner::simulate(std::size_t index, const SchemePhase& phase, const Handover& handover) {
  const auto step = narrow<unsigned>(index + 1);
  progress_.begin(phase.name, step, narrow<unsigned>(done_.size()));
  Cluster cluster(config_, phase.phase, time_, handover);
  Simulated& simulated = *done_[index];
  simulated.result = cluster.run([&](double done) { progress_.update(step, done); }, threads_of_phase());
  progress_.end(step);
  simulated.rows = collect_rows(simulated.result, time_, options_.timeline.has_value());
  simulated.loads = link_loads(simulated.result);
  simulated.result.gpus.clear();
  simulated.result.fabric.reset();
}

// Functional mode runs the phases of a scheme one after the other on the same memory, then looks at the sums.
void Runner::plan_functional(const std::vector<Scheme>& schemes) {
  functional_states_.resize(schemes.size());
  for (std::size_t s = 0; s < schemes.size(); ++s) {
    if (schemes[s].id == SchemeId::ideal_overlap) continue;
    std::vector<FunctionalGpu>& state = functional_states_[s];
    std::optional<std::size_t> after;
    for (const SchemePhase& phase : schemes[s].phases) {
      const std::size_t index = add(phase, std::nullopt);
      const bool first = !after;
      tasks_.push_back({[this, index, first, &phase, &state] {
                          if (first) state = functional_state(config_, schemes_.collectives());
                          simulate(index, phase, {.functional = &state});
                        },
                        after});
      after = index;
    }
  }
}

// Where the L2 keeps its contents between kernels, a phase depends on those before it in its scheme.
void Runner::plan_kept(const std::vector<Scheme>& runs) {
  kept_.resize(runs.size());
  for (std::size_t s = 0; s < runs.size(); ++s) {
    std::optional<std::size_t> after;
    for (const SchemePhase& phase : runs[s].phases) {
      const std::size_t index = add(phase, runs[s].id);
      tasks_.push_back(
          {[this, index, &phase, &l2 = kept_[s]] { simulate(index, phase, {.l2 = &l2}); }, after});
      after = index;
    }
  }
}

bool Runner::leaves_dirty_lines(const Phase& phase) const {
  if (phase.kind == PhaseKind::fused || phase.kind == PhaseKind::dma) return false;
  if (phase.kind != PhaseKind::collective_kernel) return config_.l2.cache_output;
  if (config_.l2.remote_writes == RemoteWrites::l2) return true;
  const auto& gpus = phase.steps->gpus;
  for (std::size_t g = 0; g < gpus.size(); ++g)
    for (const KernelStep& step : gpus[g])
      if (step.gpu == g && !step.reads.empty() && !step.update) return true;
  return false;
}

// Every phase once, and once more for a scheme in which it begins while the L2 writes back what the phase
// before it has left. The phases that ideal-rs-nmc is computed from are each alone.
std::vector<Planned> Runner::plan(const std::vector<Scheme>& runs) const {
  std::vector<Planned> planned;
  for (const Scheme& scheme : runs) {
    const Phase* before = nullptr;
    for (const SchemePhase& phase : scheme.phases) {
      Planned next{std::nullopt, &phase, before};
      if (before) next.of = scheme.id;
      if (std::ranges::none_of(
              planned, [&](const Planned& p) { return p.of == next.of && p.phase->phase == phase.phase; }))
        planned.push_back(next);
      const bool followed = scheme.id != SchemeId::ideal_rs_nmc && leaves_dirty_lines(phase.phase);
      before = followed ? &phase.phase : nullptr;
    }
  }
  return planned;
}

// The schemes whose runs those of `schemes` are, each once.
std::vector<Scheme> Runner::runs_of_all(const std::vector<Scheme>& schemes) const {
  std::vector<Scheme> runs;
  for (const Scheme& scheme : schemes)
    if (std::ranges::find(runs, runs_of(scheme.id), &Scheme::id) == runs.end())
      runs.push_back(schemes_.scheme(runs_of(scheme.id)));
  return runs;
}

void Runner::plan_flushed(const std::vector<Scheme>& runs) {
  const std::vector<Planned> planned = plan(runs);
  for (const Planned& next : planned) {
    Simulated* earlier = next.before ? find(*next.of, *next.before) : nullptr;  // of those planned so far
    std::optional<std::size_t> after;
    if (earlier) {
      ++earlier->need_leftovers;
      after = narrow<std::size_t>(std::ranges::find(done_, earlier, &std::unique_ptr<Simulated>::get) -
                                  done_.begin());
    }
    const std::size_t index = add(*next.phase, next.of);
    const bool followed = std::ranges::any_of(
        planned, [&](const Planned& p) { return p.before && *p.before == next.phase->phase; });
    tasks_.push_back({[this, index, earlier, followed, &phase = *next.phase] {
                        simulate(index, phase,
                                 {.before = earlier ? &earlier->leftovers : nullptr,
                                  .after = followed ? &done_[index]->leftovers : nullptr});
                        if (earlier && --earlier->need_leftovers == 0) earlier->leftovers = {};
                      },
                      after});
  }
}

void Runner::simulate_all(const std::vector<Scheme>& schemes) {
  const std::vector<Scheme> runs = runs_of_all(schemes);
  if (config_.l2.kernel_boundary == KernelBoundary::keep)
    plan_kept(runs);
  else if (config_.run.functional)
    plan_functional(schemes);
  else
    plan_flushed(runs);
  run_tasks(tasks_, std::max(options_.threads / threads_of_phase(), 1U));
  for (std::size_t s = 0; s < functional_states_.size(); ++s) {
    if (functional_states_[s].empty()) continue;
    const FunctionalResult checked =
        check_result(config_, schemes_.collectives(), schemes[s].id, functional_states_[s]);
    functional_.elements += checked.elements;
    functional_.errors += checked.errors;
  }
}

// The sequential scheme first: it is what the others are compared with.
std::vector<Scheme> Runner::wanted() const {
  std::vector<Scheme> schemes;
  const bool asked = std::ranges::find(config_.schemes, SchemeId::sequential) != config_.schemes.end();
  if (runs_collective(config_) && (asked || options_.with_baseline))
    schemes.push_back(schemes_.scheme(SchemeId::sequential));
  for (SchemeId id : config_.schemes)
    if (id != SchemeId::sequential) schemes.push_back(schemes_.scheme(id));
  return schemes;
}

SchemeResult Runner::combine(const Scheme& scheme) {
  SchemeResult out;
  out.name = to_string(scheme.id);
  DramBytes dram;
  double overlapped = 0;
  for (const SchemePhase& phase : scheme.phases) {
    Simulated& simulated = *find(scheme.id, phase.phase);
    const PhaseResult& r = simulated.result;
    out.phases.emplace_back(phase.time_key, r.time_us);
    out.limits.emplace_back(phase.time_key.substr(0, phase.time_key.rfind("_us")), phase_limits(r.use));
    add_fullest_link(config_, simulated.loads, out.limits.back().second);
    if (phase.overlapped)
      overlapped = std::max(overlapped, r.time_us);
    else
      out.time_us += r.time_us;
    dram += r.dram;
    out.link_bytes += r.link_bytes;
    if (!simulated.charged) {
      out.host_seconds += r.host_seconds;
      out.events += r.events;
    }
    simulated.charged = true;
    add_counters(out.counters, r.counters);
  }
  out.time_us += overlapped;
  const auto add = [&](const std::string& name, Traffic traffic) {
    out.dram_bytes.emplace_back(name + "_read", dram.read(traffic));
    out.dram_bytes.emplace_back(name + "_write", dram.written(traffic));
  };
  add("gemm", Traffic::gemm);
  if (const std::string exchange = schemes_.exchange_key(); exchange != "ag") add(exchange, Traffic::rs);
  add("ag", Traffic::ag);
  if (schemes_.has_other_traffic()) add("other", Traffic::other);
  return out;
}

// Why a fused scheme's gap is not given in parts; empty: it is.
std::string Runner::no_gap() const {
  if (config_.l2.kernel_boundary == KernelBoundary::keep)
    return "l2.kernel_boundary: keep: how long a kernel takes depends on what ran before it";
  for (const SchemePhase& phase : schemes_.scheme(SchemeId::ideal_overlap).phases)
    if (!find(SchemeId::sequential, phase.phase))
      return "the phases of the sequential scheme, which it is measured against, were not run";
  return "";
}

// Against the ideal overlap of the runs of the sequential scheme. Only where no_gap() has nothing to say.
GapResult Runner::gap(const Scheme& scheme) const {
  const Scheme ideal = schemes_.scheme(SchemeId::ideal_overlap);
  const PhaseResult* longest = nullptr;  // of those that overlap
  std::int64_t others = 0;
  for (const SchemePhase& phase : ideal.phases) {
    const PhaseResult& r = find(SchemeId::sequential, phase.phase)->result;
    if (!phase.overlapped) {
      others -= narrow<std::int64_t>(r.ticks);
    } else if (!longest || r.ticks > longest->ticks) {
      longest = &r;
    }
  }
  const PhaseResult* overlap = nullptr;
  for (const SchemePhase& phase : scheme.phases) {
    const PhaseResult& r = find(scheme.id, phase.phase)->result;
    if (phase.time_key == "fused_us")
      overlap = &r;
    else
      others += narrow<std::int64_t>(r.ticks);
  }
  const bool by_gemm = longest->phase.kind == PhaseKind::gemm;
  GapTicks parts = by_gemm ? gap_to_kernel(overlap->use.account, longest->use.account)
                           : gap_to_collective(overlap->use.account, longest->use.account);
  const auto total = narrow<std::int64_t>(overlap->ticks) - narrow<std::int64_t>(longest->ticks);
  const char* bound_by = by_gemm ? "gemm" : "collective";
  if (schemes_.exchange_key() == "rs") return gap_result(parts, others, total + others, time_, bound_by);
  // Nothing is reduced: what follows the last packet is no reduction's.
  parts[GapPart::tail] += parts[GapPart::near_memory_reduction];
  parts[GapPart::near_memory_reduction] = 0;
  GapResult result = gap_result(parts, others, total + others, time_, bound_by);
  std::erase_if(result.parts_ps,
                [](const auto& part) { return part.first == to_string(GapPart::near_memory_reduction); });
  return result;
}

void Runner::add_rows(const Scheme& scheme, RunReport& report) const {
  if (scheme.computed) return;  // from runs that other schemes report
  for (const SchemePhase& phase : scheme.phases) {
    const PhaseRows& rows = find(scheme.id, phase.phase)->rows;
    for (StatRow row : rows.stats) {
      row.scheme = to_string(scheme.id);
      row.phase = phase.name;
      report.stats.push_back(std::move(row));
    }
    for (SeriesRow row : rows.series) {
      row.scheme = to_string(scheme.id);
      row.phase = phase.name;
      report.series.push_back(std::move(row));
    }
    for (TimelineRow row : rows.timeline) {
      row.scheme = to_string(scheme.id);
      row.phase = phase.name;
      report.timeline.push_back(std::move(row));
    }
  }
}

void Runner::add_trace(const std::vector<Scheme>& schemes, RunReport& report) const {
  std::vector<TraceScheme> traced;
  for (const Scheme& scheme : schemes) {
    if (scheme.computed || !asked_for(scheme)) continue;
    TraceScheme out{std::string(to_string(scheme.id)), {}};
    Tick start = 0;
    for (const SchemePhase& phase : scheme.phases) {
      const Simulated* simulated = find(scheme.id, phase.phase);
      out.phases.push_back({phase.name, start, &simulated->rows.timelines});
      start += simulated->result.ticks;
    }
    traced.push_back(std::move(out));
  }
  PerfettoTrace trace = perfetto_trace(traced, *options_.timeline, time_);
  report.more_files.emplace_back("timeline.perfetto-trace", std::move(trace.bytes));
  report.notes = std::move(trace.notes);
}

void Runner::add_network(const std::vector<Scheme>& schemes, RunReport& report) const {
  std::vector<SchemeLoads> loads;
  for (const Scheme& scheme : schemes) {
    if (scheme.computed || !asked_for(scheme)) continue;
    loads.push_back({std::string(to_string(scheme.id)), {}});
    for (const SchemePhase& phase : scheme.phases)
      loads.back().loads.add(find(scheme.id, phase.phase)->loads);
  }
  for (auto& file : network_files(config_, loads, time_)) report.more_files.push_back(std::move(file));
}

// From whom to whom something is sent in some phase.
std::vector<Route> Runner::used_routes(const std::vector<Scheme>& schemes) const {
  std::set<Route> used;
  for (const Scheme& scheme : schemes)
    for (const SchemePhase& phase : scheme.phases)
      for (const Route& route : routes_of(phase.phase)) used.insert(route);
  return {used.begin(), used.end()};
}

void Runner::add_ways(const std::vector<Scheme>& schemes, RunReport& report) const {
  const std::vector<Route> used = used_routes(schemes);
  const auto topology = make_topology(topology_of(config_), config_.gpus.count);
  report.explanation += "\n" + explain(config_.topology, *topology, used);
  if (std::string warning = host_memory_warning(config_, used); !warning.empty())
    report.warnings.push_back(std::move(warning));
}

bool Runner::asked_for(const Scheme& scheme) const {
  return std::ranges::find(config_.schemes, scheme.id) != config_.schemes.end();
}

RunReport Runner::run() {
  const std::vector<Scheme> schemes = wanted();
  for (const Scheme& scheme : schemes)
    for (const SchemePhase& phase : scheme.phases) check_routes(config_, phase.phase, phase.name);
  simulate_all(schemes);
  RunReport report;
  const WorkloadConfig& w = config_.workload;
  report.workload = {w.name, w.m, w.n, w.k, config_.gpus.count, {}};
  report.exchange = schemes_.exchange_key();
  double sequential_us = 0;
  for (const Scheme& s : schemes) {
    SchemeResult result = combine(s);
    if (s.id == SchemeId::t3 || s.id == SchemeId::t3_mca) {
      result.no_gap = no_gap();
      if (result.no_gap.empty()) result.gap = gap(s);
    }
    if (s.id == SchemeId::sequential) sequential_us = result.time_us;
    result.speedup = sequential_us > 0 ? sequential_us / result.time_us : 1.0;
    if (!asked_for(s)) continue;
    add_rows(s, report);
    report.schemes.push_back(std::move(result));
  }
  for (const auto& simulated : done_) {
    report.host_seconds += simulated->result.host_seconds;
    report.events += simulated->result.events;
  }
  if (options_.timeline) add_trace(schemes, report);
  if (config_.run.functional) report.functional = functional_;
  if (!runs_collective(config_)) return report;
  report.explanation = schemes_.explanation();
  if (config_.gpus.model == GpuModel::explicit_) {
    add_network(schemes, report);
    add_ways(schemes, report);
  }
  if (std::string warning = buffer_warning(config_); !warning.empty())
    report.warnings.push_back(std::move(warning));
  return report;
}

}  // namespace

RunReport run_schemes(const Config& config, const RunOptions& options, Progress& progress) {
  return Runner(config, options, progress).run();
}

}  // namespace t3sim
