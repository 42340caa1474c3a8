#include "validation/measured/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace t3sim {
namespace {

constexpr double kFirstStep = 0.25, kLastStep = 0.004;

// What the kinds of rows depend on and no data sheet says.
std::vector<std::string> default_free(const std::array<bool, kCaseKinds>& fitted) {
  const auto any = [&](std::initializer_list<CaseKind> kinds) {
    return std::ranges::any_of(kinds, [&](CaseKind k) { return fitted[static_cast<std::size_t>(k)]; });
  };
  std::vector<std::string> paths;
  if (any({CaseKind::ring_collectives_large, CaseKind::ring_collectives_small, CaseKind::all_to_all}))
    for (const char* name : {"store_bytes_per_cycle", "slice_sync", "flag_latency", "launch"})
      paths.push_back(fmt::format("execution.channel.{}", name));
  if (any({CaseKind::gemm_time}))
    for (const char* name : {"gemm.library_launch", "gemm.library_tile_bytes_per_cycle",
                             "gemm.matrix_efficiency", "power.matrix_share"})
      paths.push_back(fmt::format("execution.{}", name));
  if (any({CaseKind::fused_store}))
    for (const char* name : {"channel.tile_link_share", "gemm.local_sum_share"})
      paths.push_back(fmt::format("execution.{}", name));
  if (any({CaseKind::interference}))
    for (const char* name : {"channel.busy_latency", "power.transfer_share"})
      paths.push_back(fmt::format("execution.{}", name));
  return paths;
}

class Fit {
 public:
  Fit(MeasuredValidation& data, const MeasuredMachine& machine, std::vector<FreeValue> free,
      Progress& progress)
      : data_(data),
        machine_(machine),
        free_(std::move(free)),
        factors_(free_.size(), 1.0),
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
    for (MeasuredCase& c : data_.cases) {
      if (!c.calibration) continue;
      predict(*machine, c);
      const double error =
          c.kind == CaseKind::interference ? c.error_pct() / 100 : std::log1p(c.error_pct() / 100);
      sums[static_cast<std::size_t>(c.kind)] += error * error;
      ++rows[static_cast<std::size_t>(c.kind)];
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
  Progress& progress_;
  double best_ = 0;
  unsigned evaluations_ = 0;
};

// Leaves the cases of the kinds asked for, and tells which there are.
std::array<bool, kCaseKinds> keep_kinds(MeasuredValidation& data, const std::vector<CaseKind>& kinds) {
  std::array<bool, kCaseKinds> fitted{};
  if (!kinds.empty())
    std::erase_if(data.cases,
                  [&](const MeasuredCase& c) { return std::ranges::find(kinds, c.kind) == kinds.end(); });
  for (const MeasuredCase& c : data.cases)
    if (c.calibration) fitted[static_cast<std::size_t>(c.kind)] = true;
  return fitted;
}

void predict_all(const MeasuredMachine& machine, MeasuredValidation& validation) {
  for (MeasuredCase& c : validation.cases) predict(machine, c);
}

}  // namespace

Calibration calibrate(const MeasuredFolder& folder, const MeasuredMachine& machine,
                      const CalibrationOptions& options, Progress& progress) {
  Calibration result;
  result.before = measured_cases(folder, Judged::half);
  const std::array<bool, kCaseKinds> fitted = keep_kinds(result.before, options.kinds);
  if (std::ranges::none_of(fitted, [](bool b) { return b; }))
    throw InputError("calibrate: no row of the data falls into the half that is calibrated on");
  std::vector<FreeValue> free;
  for (const std::string& path : options.free.empty() ? default_free(fitted) : options.free)
    free.emplace_back(path, machine.config);
  if (free.empty()) throw InputError("calibrate: these kinds have no free values; name some with --free");

  predict_all(machine, result.before);
  result.after = result.before;
  progress.begin("calibration", 1, 1);
  Fit fit(result.after, machine, free, progress);
  fit.run();
  progress.end(1);
  predict_all(fit.machine(), result.after);
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
