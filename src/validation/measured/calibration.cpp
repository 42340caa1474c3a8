#include "validation/measured/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "validation/measured/estimate/estimates.h"
#include "validation/measured/in_parallel.h"
#include "validation/measured/row_cost.h"
#include "validation/measured/simulated/simulated_cases.h"

namespace t3sim {
namespace {

constexpr double kFirstStep = 0.25, kLastStep = 0.004;

// What the kinds of rows depend on and no data sheet says. Of the machine: keys that its runs read.
std::vector<std::string> default_free(const std::array<bool, kCaseKinds>& fitted, Source source) {
  const bool estimate = source == Source::estimate;
  const auto any = [&](std::initializer_list<CaseKind> kinds) {
    return std::ranges::any_of(kinds, [&](CaseKind k) { return fitted[static_cast<std::size_t>(k)]; });
  };
  std::vector<std::string> paths;
  if (any({CaseKind::ring_collectives_large, CaseKind::ring_collectives_small, CaseKind::all_to_all}))
    for (const char* name : {"slice_sync", "flag_latency", "launch"})
      paths.push_back(fmt::format("execution.channel.{}", name));
  if (estimate && !paths.empty()) paths.emplace_back("estimate.channel_store");
  if (any({CaseKind::gemm_time}))
    for (const char* name :
         {"gemm.library_launch", "gemm.library_tile_bytes_per_cycle", "power.matrix_share"})
      paths.push_back(fmt::format("execution.{}", name));
  if (estimate && any({CaseKind::fused_store})) {
    paths.emplace_back("execution.gemm.local_sum_share");
    paths.emplace_back("estimate.tile_link_share");
  }
  if (estimate && any({CaseKind::interference})) {
    paths.emplace_back("estimate.busy_latency");
    paths.emplace_back("execution.power.transfer_share");
  }
  return paths;
}

// Our numbers for cases, by what is asked for. A case that fails throws what it fails with.
class Predictor {
 public:
  explicit Predictor(const CalibrationOptions& options)
      : options_(options), runs_(options.source == Source::machine ? options.runs : std::string()) {}

  void operator()(const MeasuredMachine& machine, std::vector<MeasuredCase*> cases) {
    if (options_.source == Source::estimate) {
      for (MeasuredCase* c : cases) c->ours = estimated(machine, *c);
      return;
    }
    in_parallel(cases.size(), options_.jobs,
                [&](std::size_t i) { cases[i]->ours = simulated(machine, *cases[i], runs_); });
  }

 private:
  const CalibrationOptions& options_;
  MachineRuns runs_;
};

std::vector<MeasuredCase*> cases_of(MeasuredValidation& data, bool fitted_alone) {
  std::vector<MeasuredCase*> cases;
  for (MeasuredCase& c : data.cases)
    if (!fitted_alone || c.calibration) cases.push_back(&c);
  return cases;
}

class Fit {
 public:
  Fit(MeasuredValidation& data, const MeasuredMachine& machine, std::vector<FreeValue> free,
      Predictor& predictor, Progress& progress)
      : data_(data),
        machine_(machine),
        free_(std::move(free)),
        factors_(free_.size(), 1.0),
        predictor_(predictor),
        progress_(progress) {}

  void run() {
    best_ = *cost(factors_);
    for (double step = kFirstStep; step > kLastStep;) {
      progress_.update(1, std::log(kFirstStep / step) / std::log(kFirstStep / kLastStep));
      if (!improve(step)) step /= 2;
    }
  }
  MeasuredMachine machine() const { return *machine_with(factors_); }
  const std::vector<double>& factors() const { return factors_; }
  unsigned evaluations() const { return evaluations_; }

 private:
  bool improve(double step) {
    bool improved = false;
    for (std::size_t i = 0; i < factors_.size(); ++i)
      for (const double change : {1 + step, 1 / (1 + step)}) {
        std::vector<double> trial = factors_;
        trial[i] *= change;
        const std::optional<double> found = cost(trial);
        if (!found || *found >= best_ * (1 - 1e-9)) continue;
        best_ = *found;
        factors_ = trial;
        improved = true;
        break;
      }
    return improved;
  }

  std::optional<MeasuredMachine> machine_with(const std::vector<double>& factors) const {
    MeasuredMachine machine = machine_;
    for (std::size_t i = 0; i < free_.size(); ++i)
      if (!free_[i].set(machine.config, factors[i])) return std::nullopt;
    return machine;
  }

  std::optional<double> cost(const std::vector<double>& factors) {
    const std::optional<MeasuredMachine> machine = machine_with(factors);
    if (!machine) return std::nullopt;
    ++evaluations_;
    std::array<double, kCaseKinds> sums{};
    std::array<double, kCaseKinds> rows{};
    const std::vector<MeasuredCase*> fitted = cases_of(data_, true);
    predictor_(*machine, fitted);
    for (const MeasuredCase* c : fitted) {
      const double error = in_points(c->kind) ? c->error_pct() / 100 : std::log1p(c->error_pct() / 100);
      sums[static_cast<std::size_t>(c->kind)] += error * error;
      ++rows[static_cast<std::size_t>(c->kind)];
    }
    double total = 0;
    for (std::size_t i = 0; i < kCaseKinds; ++i)
      if (rows[i] > 0) total += sums[i] / rows[i];
    return total;
  }

  MeasuredValidation& data_;
  const MeasuredMachine& machine_;
  std::vector<FreeValue> free_;
  std::vector<double> factors_;
  Predictor& predictor_;
  Progress& progress_;
  double best_ = 0;
  unsigned evaluations_ = 0;
};

void keep_kinds(MeasuredValidation& data, const std::vector<CaseKind>& kinds) {
  if (!kinds.empty())
    std::erase_if(data.cases,
                  [&](const MeasuredCase& c) { return std::ranges::find(kinds, c.kind) == kinds.end(); });
}

std::array<bool, kCaseKinds> kinds_fitted(const MeasuredValidation& data) {
  std::array<bool, kCaseKinds> fitted{};
  for (const MeasuredCase& c : data.cases)
    if (c.calibration) fitted[static_cast<std::size_t>(c.kind)] = true;
  return fitted;
}

// Leaves what the source has numbers for and, of the machine, a part.
void keep_predicted(MeasuredValidation& data, const MeasuredMachine& machine,
                    const CalibrationOptions& options) {
  for (MeasuredCase& c : data.cases) c.machine = machine.config.gpu.name;
  std::erase_if(data.cases, [&](const MeasuredCase& c) { return only_simulated(c.kind); });
  if (options.source == Source::machine && options.rows != 0)
    keep_part(data.cases, options.rows, [&](const MeasuredCase& c) { return row_cost_s(machine, c); });
}

}  // namespace

Calibration calibrate(const MeasuredFolder& folder, const MeasuredMachine& machine,
                      const CalibrationOptions& options, Progress& progress) {
  Calibration result;
  result.before = measured_cases(folder, Judged::half);
  keep_kinds(result.before, options.kinds);
  keep_predicted(result.before, machine, options);
  const std::array<bool, kCaseKinds> fitted = kinds_fitted(result.before);
  if (std::ranges::none_of(fitted, [](bool b) { return b; }))
    throw InputError("calibrate: no row of the data falls into the half that is calibrated on");
  std::vector<FreeValue> free;
  for (const std::string& path : options.free.empty() ? default_free(fitted, options.source) : options.free)
    free.emplace_back(path, machine.config);
  if (free.empty()) throw InputError("calibrate: these kinds have no free values; name some with --free");

  Predictor predictor(options);
  predictor(machine, cases_of(result.before, false));
  result.before.source = options.source;
  result.after = result.before;
  progress.begin("calibration", 1, 1);
  Fit fit(result.after, machine, free, predictor, progress);
  fit.run();
  progress.end(1);
  predictor(fit.machine(), cases_of(result.after, false));
  for (std::size_t i = 0; i < free.size(); ++i)
    result.values.push_back({free[i].path(), free[i].text(1), free[i].text(fit.factors()[i])});
  result.evaluations = fit.evaluations();
  return result;
}

std::string calibration_yaml(const Calibration& calibration) {
  std::string text;
  std::vector<std::string> open;
  for (const Calibration::Value& value : calibration.values) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at != std::string::npos;) {
      const std::size_t dot = value.path.find('.', at);
      parts.push_back(value.path.substr(at, dot == std::string::npos ? dot : dot - at));
      at = dot == std::string::npos ? dot : dot + 1;
    }
    std::size_t same = 0;
    while (same + 1 < parts.size() && same < open.size() && open[same] == parts[same]) ++same;
    open.resize(same);
    for (; same + 1 < parts.size(); ++same) {
      text += fmt::format("{:{}}{}:\n", "", 2 * same, parts[same]);
      open.push_back(parts[same]);
    }
    text += fmt::format("{:{}}{}: {}\n", "", 2 * same, parts.back(), value.after);
  }
  return text;
}

}  // namespace t3sim
