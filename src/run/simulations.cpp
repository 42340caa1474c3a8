#include "run/simulations.h"

#include <algorithm>

#include "base/number.h"
#include "run/estimate.h"

namespace t3sim {
// A simulation that is to be made.
struct Simulations::Planned {
  std::optional<std::string> of;
  const SchemePhase* phase = nullptr;
  const Phase* before = nullptr;  // that has left dirty lines; with `of`
};

Simulated* Simulations::find(const Scheme& scheme, const Phase& phase) const {
  return find(scheme.runs, phase);
}

Simulated* Simulations::find(const std::string& runs, const Phase& phase) const {
  Simulated* clean = nullptr;
  for (const auto& done : done_) {
    if (done->result.phase != phase) continue;
    if (done->of == runs) return done.get();
    if (!done->of && !clean) clean = done.get();
  }
  return clean;
}

std::size_t Simulations::add(const SchemePhase& phase, std::optional<std::string> of) {
  done_.push_back(std::make_unique<Simulated>());
  done_.back()->of = std::move(of);
  done_.back()->result.phase = phase.phase;
  return done_.size() - 1;
}

void Simulations::add_task(const SchemePhase& phase, std::optional<std::size_t> after,
                           std::function<void()> run) {
  tasks_.push_back({std::move(run), after, estimated_events(config_, phase.phase)});
}

// Explicit GPUs share the threads out among themselves; phases run side by side on what is left.
unsigned Simulations::threads_of_phase() const {
  const bool mirror = config_.gpus.model == GpuModel::mirror;
  return std::clamp<unsigned>(options_.threads, 1, mirror ? 1 : config_.gpus.count);
}

void Simulations::simulate(std::size_t index, const SchemePhase& phase, const Handover& handover) {
  const unsigned step = ++begun_;  // they begin in any order
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
void Simulations::plan_functional(const std::vector<Scheme>& schemes) {
  functional_states_.resize(schemes.size());
  for (std::size_t s = 0; s < schemes.size(); ++s) {
    if (schemes[s].runs != schemes[s].name) continue;
    std::vector<FunctionalGpu>& state = functional_states_[s];
    std::optional<std::size_t> after;
    for (const SchemePhase& phase : schemes[s].phases) {
      const std::size_t index = add(phase, std::nullopt);
      const bool first = !after;
      add_task(phase, after, [this, index, first, &phase, &state] {
        if (first) state = functional_state(config_, schemes_.collectives());
        simulate(index, phase, {.functional = &state});
      });
      after = index;
    }
  }
}

// Where the L2 keeps its contents between kernels, a phase depends on those before it in its scheme.
void Simulations::plan_kept(const std::vector<Scheme>& runs) {
  kept_.resize(runs.size());
  for (std::size_t s = 0; s < runs.size(); ++s) {
    std::optional<std::size_t> after;
    for (const SchemePhase& phase : runs[s].phases) {
      const std::size_t index = add(phase, runs[s].name);
      add_task(phase, after, [this, index, &phase, &l2 = kept_[s]] { simulate(index, phase, {.l2 = &l2}); });
      after = index;
    }
  }
}

bool Simulations::leaves_dirty_lines(const Phase& phase) const {
  if (phase.kernel) return !phase.is_fused() && config_.l2.cache_output;
  if (!phase.steps) return false;
  if (config_.l2.remote_writes == RemoteWrites::l2) return true;
  const auto& gpus = phase.steps->gpus;
  for (std::size_t g = 0; g < gpus.size(); ++g)
    for (const KernelStep& step : gpus[g])
      if (step.gpu == g && !step.reads.empty() && !step.update) return true;
  return false;
}

// Every phase once, and once more for a scheme in which it begins while the L2 writes back what the phase
// before it has left. The phases that a time is derived from are each alone.
std::vector<Simulations::Planned> Simulations::plan(const std::vector<Scheme>& runs) const {
  std::vector<Planned> planned;
  for (const Scheme& scheme : runs) {
    const Phase* before = nullptr;
    for (const SchemePhase& phase : scheme.phases) {
      Planned next{std::nullopt, &phase, before};
      if (before) next.of = scheme.name;
      if (std::ranges::none_of(
              planned, [&](const Planned& p) { return p.of == next.of && p.phase->phase == phase.phase; }))
        planned.push_back(next);
      const bool followed = !scheme.derived && leaves_dirty_lines(phase.phase);
      before = followed ? &phase.phase : nullptr;
    }
  }
  return planned;
}

// The schemes whose runs those of `schemes` are, each once.
std::vector<Scheme> Simulations::runs_of_all(const std::vector<Scheme>& schemes) const {
  std::vector<Scheme> runs;
  for (const Scheme& scheme : schemes)
    if (std::ranges::find(runs, scheme.runs, &Scheme::name) == runs.end())
      runs.push_back(scheme.runs == scheme.name ? scheme : schemes_.scheme(scheme.runs));
  return runs;
}

void Simulations::plan_flushed(const std::vector<Scheme>& runs) {
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
    add_task(*next.phase, after, [this, index, earlier, followed, &phase = *next.phase] {
      simulate(index, phase,
               {.before = earlier ? &earlier->leftovers : nullptr,
                .after = followed ? &done_[index]->leftovers : nullptr});
      if (earlier && --earlier->need_leftovers == 0) earlier->leftovers = {};
    });
  }
}

void Simulations::run(const std::vector<Scheme>& schemes) {
  const std::vector<Scheme> runs = runs_of_all(schemes);
  if (config_.l2.kernel_boundary == KernelBoundary::keep)
    plan_kept(runs);
  else if (config_.run.functional)
    plan_functional(schemes);
  else
    plan_flushed(runs);
  run_tasks(tasks_, std::max(options_.threads / threads_of_phase(), 1U));
  for (std::size_t s = 0; s < functional_states_.size(); ++s) {
    const ExchangeForm& exchange = schemes[s].exchange;
    if (functional_states_[s].empty() || (!exchange.plan && !exchange.kernel)) continue;
    functional_ += check_result(config_, schemes_.collectives(), exchange, functional_states_[s]);
  }
}

}  // namespace t3sim
