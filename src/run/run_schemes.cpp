#include "run/run_schemes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/number.h"
#include "machine/fabric_setup.h"
#include "program/library.h"
#include "results/timeline/trace.h"
#include "run/gap.h"
#include "run/gpu_model.h"
#include "run/limits.h"
#include "run/network_report.h"
#include "run/report_rows.h"
#include "run/scheme_table.h"
#include "run/simulations.h"

namespace t3sim {
namespace {

class Runner {
 public:
  Runner(const Config& config, const RunOptions& options, Progress& progress)
      : config_(config),
        options_(options),
        time_(time_base(config)),
        schemes_(config),
        simulations_(config, options, progress, time_, schemes_) {}

  RunReport run();
  std::string explanation();

 private:
  std::vector<Scheme> wanted();
  bool asked_for(const Scheme& scheme) const { return asked_.contains(scheme.name); }
  SchemeResult combine(const Scheme& scheme);
  std::string no_gap(const Scheme& scheme) const;
  GapResult gap(const Scheme& scheme) const;
  void add_rows(const Scheme& scheme, RunReport& report) const;
  void add_trace(const std::vector<Scheme>& schemes, RunReport& report) const;
  void add_network(const std::vector<Scheme>& schemes, RunReport& report) const;
  std::vector<Route> used_routes(const std::vector<Scheme>& schemes) const;

  const Config& config_;
  const RunOptions& options_;
  TimeBase time_;
  SchemeTable schemes_;
  Simulations simulations_;
  std::set<std::string> asked_;  // names of schemes
};

// The sequential scheme first: it is what the others are compared with.
std::vector<Scheme> Runner::wanted() {
  std::vector<Scheme> schemes;
  asked_.clear();
  for (const std::string& name : config_.schemes) {
    schemes.push_back(schemes_.scheme(name));
    if (!asked_.insert(schemes.back().name).second)
      throw InputError(fmt::format("schemes: there are two called {}", schemes.back().name));
  }
  const auto baseline = std::ranges::find(schemes, shipped::sequential, &Scheme::name);
  if (baseline != schemes.end())
    std::rotate(schemes.begin(), baseline, baseline + 1);
  else if (runs_collective(config_) && options_.with_baseline)
    schemes.insert(schemes.begin(), schemes_.scheme(shipped::sequential));
  return schemes;
}

SchemeResult Runner::combine(const Scheme& scheme) {
  SchemeResult out;
  out.name = scheme.name;
  DramBytes dram;
  std::vector<double> times;
  for (const SchemePhase& phase : scheme.phases) {
    Simulated& simulated = *simulations_.find(scheme, phase.phase);
    const PhaseResult& r = simulated.result;
    out.phases.emplace_back(phase.time_key, r.time_us);
    out.limits.emplace_back(phase.time_key.substr(0, phase.time_key.rfind("_us")), phase_limits(r.use));
    add_fullest_link(config_, simulated.loads, out.limits.back().second);
    times.push_back(r.time_us);
    dram += r.dram;
    out.link_bytes += r.link_bytes;
    if (!simulated.charged) {
      out.host_seconds += r.host_seconds;
      out.events += r.events;
    }
    simulated.charged = true;
    add_counters(out.counters, r.counters);
  }
  out.time_us = scheme.time_us(times);
  if (!(out.time_us > 0) || std::isinf(out.time_us))
    throw InputError(fmt::format("scheme {}: derived: is {} us; a time must be above 0 and finite",
                                 scheme.name, out.time_us));
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
std::string Runner::no_gap(const Scheme& scheme) const {
  if (scheme.fused() > 1) return "several of its phases are fused";
  if (config_.l2.kernel_boundary == KernelBoundary::keep)
    return "l2.kernel_boundary: keep: how long a kernel takes depends on what ran before it";
  const Scheme sequential = schemes_.scheme(shipped::sequential);
  for (const SchemePhase& phase : sequential.phases)
    if (!simulations_.find(sequential, phase.phase))
      return "the phases of the sequential scheme, which it is measured against, were not run";
  return "";
}

// Against the ideal overlap of the runs of the sequential scheme. Only where no_gap() has nothing to say.
GapResult Runner::gap(const Scheme& scheme) const {
  const Scheme sequential = schemes_.scheme(shipped::sequential);
  const PhaseResult* longest = nullptr;  // of those that overlap
  std::int64_t others = 0;
  for (const SchemePhase& phase : sequential.phases) {
    const PhaseResult& r = simulations_.find(sequential, phase.phase)->result;
    if (phase.label != "gemm" && phase.label != "exchange") {
      others -= narrow<std::int64_t>(r.ticks);
    } else if (!longest || r.ticks > longest->ticks) {
      longest = &r;
    }
  }
  const PhaseResult* overlap = nullptr;
  for (const SchemePhase& phase : scheme.phases) {
    const PhaseResult& r = simulations_.find(scheme, phase.phase)->result;
    if (phase.label == "fused")
      overlap = &r;
    else
      others += narrow<std::int64_t>(r.ticks);
  }
  const bool by_gemm = longest->phase.kernel.has_value();
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
  if (scheme.derived) return;  // from runs that other schemes report
  for (const SchemePhase& phase : scheme.phases) {
    const PhaseRows& rows = simulations_.find(scheme, phase.phase)->rows;
    for (StatRow row : rows.stats) {
      row.scheme = scheme.name;
      row.phase = phase.name;
      report.stats.push_back(std::move(row));
    }
    for (SeriesRow row : rows.series) {
      row.scheme = scheme.name;
      row.phase = phase.name;
      report.series.push_back(std::move(row));
    }
    for (TimelineRow row : rows.timeline) {
      row.scheme = scheme.name;
      row.phase = phase.name;
      report.timeline.push_back(std::move(row));
    }
  }
}

void Runner::add_trace(const std::vector<Scheme>& schemes, RunReport& report) const {
  std::vector<TraceScheme> traced;
  for (const Scheme& scheme : schemes) {
    if (scheme.derived || !asked_for(scheme)) continue;
    TraceScheme out{scheme.name, {}};
    Tick start = 0;
    for (const SchemePhase& phase : scheme.phases) {
      const Simulated* simulated = simulations_.find(scheme, phase.phase);
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
    if (scheme.derived || !asked_for(scheme)) continue;
    loads.push_back({scheme.name, {}});
    for (const SchemePhase& phase : scheme.phases)
      loads.back().loads.add(simulations_.find(scheme, phase.phase)->loads);
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

std::string Runner::explanation() {
  if (!runs_collective(config_)) return "";
  std::string text = schemes_.explanation();
  if (config_.gpus.model != GpuModel::explicit_) return text;
  const auto topology = make_topology(topology_of(config_), config_.gpus.count);
  return text + "\n" + explain(config_.topology, *topology, used_routes(wanted()));
}

RunReport Runner::run() {
  const std::vector<Scheme> schemes = wanted();
  for (const Scheme& scheme : schemes)
    for (const SchemePhase& phase : scheme.phases) check_routes(config_, phase.phase, phase.name);
  simulations_.run(schemes);
  RunReport report;
  const WorkloadConfig& w = config_.workload;
  report.workload = {w.name, w.m, w.n, w.k, config_.gpus.count, {}};
  report.exchange = schemes_.exchange_key();
  double sequential_us = 0;
  for (const Scheme& s : schemes) {
    SchemeResult result = combine(s);
    if (s.fused() > 0 && !s.derived) {
      result.no_gap = no_gap(s);
      if (result.no_gap.empty()) result.gap = gap(s);
    }
    if (s.name == shipped::sequential) sequential_us = result.time_us;
    result.speedup = sequential_us > 0 ? sequential_us / result.time_us : 1.0;
    if (!asked_for(s)) continue;
    add_rows(s, report);
    report.schemes.push_back(std::move(result));
  }
  for (const std::string& name : config_.schemes)
    if (const auto text = program_library::scheme(name); !text->sha256.empty())
      report.inputs.push_back({text->origin, text->sha256});
  for (const auto& simulated : simulations_.all()) {
    report.host_seconds += simulated->result.host_seconds;
    report.events += simulated->result.events;
  }
  if (options_.timeline) add_trace(schemes, report);
  if (config_.run.functional) report.functional = simulations_.functional();
  report.gpu_model = chosen_gpu_model(config_);
  if (!runs_collective(config_)) return report;
  if (config_.gpus.model == GpuModel::explicit_) {
    add_network(schemes, report);
    if (std::string warning = host_memory_warning(config_, used_routes(schemes)); !warning.empty())
      report.warnings.push_back(std::move(warning));
  }
  if (std::string warning = buffer_warning(config_); !warning.empty())
    report.warnings.push_back(std::move(warning));
  return report;
}

}  // namespace

std::string explain_run(const Config& config) {
  const RunOptions options;
  Progress silent(Progress::Mode::silent);
  return Runner(config, options, silent).explanation();
}

RunReport run_schemes(const Config& config, const RunOptions& options, Progress& progress) {
  return Runner(config, options, progress).run();
}

}  // namespace t3sim
