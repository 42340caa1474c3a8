// The simulations that the schemes of a run are made of: which there are, what each needs of those before it, and
// their results.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "machine/cluster.h"
#include "results/progress.h"
#include "run/functional.h"
#include "run/network_report.h"
#include "run/report_rows.h"
#include "run/run_options.h"
#include "run/scheme_table.h"
#include "sim/tasks.h"

namespace t3sim {

// A simulated phase, reduced to what the report needs.
struct Simulated {
  // Whose runs it belongs to, as what ran before it in the L2 matters; none: it starts clean, for all schemes.
  std::optional<std::string> of;
  PhaseResult result;
  PhaseRows rows;
  LinkLoads loads;
  Leftovers leftovers;
  std::atomic<unsigned> need_leftovers = 0;  // simulations to come
  bool charged = false;                      // to a scheme: what it cost
};

class Simulations {
 public:
  // All of it must outlive the simulations.
  Simulations(const Config& config, const RunOptions& options, Progress& progress, const TimeBase& time,
              const SchemeTable& schemes)
      : config_(config), options_(options), progress_(progress), time_(time), schemes_(schemes) {}

  // Simulates what `schemes` are made of, each phase once where they may share it.
  void run(const std::vector<Scheme>& schemes);

  // The simulation of a scheme's phase; null if it was not run.
  Simulated* find(const Scheme& scheme, const Phase& phase) const;
  const std::vector<std::unique_ptr<Simulated>>& all() const { return done_; }
  // Functional mode: of all schemes.
  const FunctionalResult& functional() const { return functional_; }

 private:
  struct Planned;
  void plan_functional(const std::vector<Scheme>& schemes);
  void plan_kept(const std::vector<Scheme>& runs);
  void plan_flushed(const std::vector<Scheme>& runs);
  std::vector<Scheme> runs_of_all(const std::vector<Scheme>& schemes) const;
  std::vector<Planned> plan(const std::vector<Scheme>& runs) const;
  bool leaves_dirty_lines(const Phase& phase) const;
  unsigned threads_of_phase() const;
  Simulated* find(const std::string& runs, const Phase& phase) const;
  std::size_t add(const SchemePhase& phase, std::optional<std::string> of);
  void add_task(const SchemePhase& phase, std::optional<std::size_t> after, std::function<void()> run);
  void simulate(std::size_t index, const SchemePhase& phase, const Handover& handover);

  const Config& config_;
  const RunOptions& options_;
  Progress& progress_;
  const TimeBase& time_;
  const SchemeTable& schemes_;
  std::vector<std::unique_ptr<Simulated>> done_;
  std::vector<Task> tasks_;          // that make them
  std::atomic<unsigned> begun_ = 0;  // of these
  // Where functional mode or the L2 carry on from phase to phase: by scheme.
  std::vector<std::vector<FunctionalGpu>> functional_states_;
  std::vector<std::vector<std::vector<L2Contents>>> kept_;
  FunctionalResult functional_;
};

}  // namespace t3sim
