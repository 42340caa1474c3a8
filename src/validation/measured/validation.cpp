#include "validation/measured/validation.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <mutex>
#include <set>

#include "base/error.h"
#include "base/sha256.h"
#include "validation/measured/estimate/estimates.h"
#include "validation/measured/in_parallel.h"
#include "validation/measured/pairs.h"
#include "validation/measured/row_cost.h"
#include "validation/measured/simulated/simulated_cases.h"

namespace t3sim {
namespace {

const MeasuredMachine* machine_of(const std::vector<MeasuredMachine>& machines, const std::string& gpu) {
  if (gpu.empty() || machines.size() == 1) return &machines.front();
  for (const MeasuredMachine& machine : machines)
    if (gpu.starts_with(machine.config.gpu.name)) return &machine;
  return nullptr;
}

}  // namespace

KindError MeasuredValidation::error(CaseKind kind, Rows which) const {
  return error([kind](const MeasuredCase& c) { return c.kind == kind; }, which);
}

// All that are covered are counted alike, as per cent or as points.
KindError MeasuredValidation::error(const std::function<bool(const MeasuredCase&)>& covers,
                                    Rows which) const {
  KindError error;
  double sum = 0;
  bool points = false;
  for (const MeasuredCase& c : cases) {
    if (!covers(c) || (which != Rows::all && c.calibration != (which == Rows::calibration))) continue;
    ++error.rows;
    error.worst_pct = std::max(error.worst_pct, c.error_pct());
    points = in_points(c.kind);
    sum += points ? c.error_pct() : std::log1p(c.error_pct() / 100);
  }
  if (error.rows == 0) return error;
  const double mean = sum / static_cast<double>(error.rows);
  error.error_pct = points ? mean : 100 * std::expm1(mean);
  return error;
}

MeasuredValidation measured_cases(const MeasuredFolder& folder, Judged judged) {
  MeasuredValidation validation;
  validation.bad_rows = folder.bad_rows;
  validation.other_files = folder.other_files;
  for (const MeasuredRow& row : folder.rows)
    add_cases(row, folder.kernels, validation.cases, validation.left_out);
  for (MeasuredCase& c : validation.cases) c.calibration = judged == Judged::half && in_calibration_half(c);
  return validation;
}

namespace {

std::string row_id(const MeasuredCase& c) { return fmt::format("{}:{}", c.place().file, c.place().line); }

class Predictions {
 public:
  Predictions(MeasuredValidation& validation, const MeasuredOptions& options,
              const std::vector<MeasuredMachine>& machines, Progress& progress)
      : validation_(validation),
        options_(options),
        machines_(machines),
        progress_(progress),
        runs_(options.source == Source::machine ? options.runs : std::string()) {}

  void run() {
    leave_out();
    if (options_.rows != 0) {
      const std::size_t all = validation_.cases.size();
      const std::size_t costly = keep_part(validation_.cases, options_.rows, [&](const MeasuredCase& c) {
        return row_cost_s(*machine_of(machines_, c.place().gpu), c);
      });
      validation_.rows_not_asked = all - validation_.cases.size();
      if (costly != 0)
        validation_.left_out[fmt::format(
            "rows that take over {} s of CPU time each, by estimate: a part has none (--all)", kMostCostS)] =
            costly;
    }
    progress_.begin("measured timings", 1, 1);
    failures_.resize(validation_.cases.size());
    in_parallel(validation_.cases.size(), options_.jobs, [&](std::size_t i) { predict_case(i); });
    progress_.end(1);
    move_failed();
    if (options_.source == Source::estimate) return;
    const MachineRuns::Cost cost = runs_.cost();
    validation_.cost =
        fmt::format("{} runs of the machine, {} of them kept from before; {:.0f} s of CPU time in all",
                    cost.simulated + cost.kept, cost.kept, cost.cpu_seconds);
  }

 private:
  // Rows that nobody asks for, and those of which there is no number.
  void leave_out() {
    const auto& kinds = options_.kinds;
    std::erase_if(validation_.cases, [&](const MeasuredCase& c) {
      return !kinds.empty() && !std::ranges::count(kinds, c.kind);
    });
    std::erase_if(validation_.cases, [&](MeasuredCase& c) {
      std::optional<std::string> why;
      const MeasuredMachine* machine = machine_of(machines_, c.place().gpu);
      if (machine) c.machine = machine->config.gpu.name;
      if (!machine)
        why = "rows of " + c.place().gpu + ", for which no configuration is given";
      else if (options_.source == Source::machine)
        why = not_run(c);
      else if (only_simulated(c.kind))
        why = fmt::format("{}, of which there is no estimate", to_string(c.kind));
      if (why) ++validation_.left_out[*why];
      return why.has_value();
    });
  }
  std::optional<std::string> not_run(const MeasuredCase& c) const {
    if (options_.rows != 0 && options_.kinds.empty() &&
        (only_simulated(c.kind) || c.kind == CaseKind::interference))
      return fmt::format("{}, a row of which may take minutes (--kinds {}, --all)", to_string(c.kind),
                         to_string(c.kind));
    return std::nullopt;
  }
  void predict_case(std::size_t i) {
    MeasuredCase& c = validation_.cases[i];
    const MeasuredMachine& machine = *machine_of(machines_, c.place().gpu);
    if (options_.source == Source::machine)
      simulate(machine, c, failures_[i]);
    else
      c.ours = estimated(machine, c);
    const std::lock_guard lock(mutex_);
    progress_.update(1, static_cast<double>(++done_) / static_cast<double>(validation_.cases.size()));
  }

  // A row that the machine does not get through is named; the others go on.
  void simulate(const MeasuredMachine& machine, MeasuredCase& c, std::string& failure) {
    try {
      c.ours = simulated(machine, c, runs_);
    } catch (const CheckError& e) {
      failure = e.what();
    } catch (const NoProgressError& e) {
      failure = e.what();
    } catch (const InputError& e) {  // a program that cannot run these sizes
      failure = e.what();
    }
  }
  void move_failed() {
    std::vector<MeasuredCase> done;
    for (std::size_t i = 0; i < failures_.size(); ++i) {
      MeasuredCase& c = validation_.cases[i];
      if (failures_[i].empty())
        done.push_back(std::move(c));
      else
        validation_.failed.push_back({std::move(c), failures_[i]});
    }
    validation_.cases = std::move(done);
  }

  MeasuredValidation& validation_;
  const MeasuredOptions& options_;
  const std::vector<MeasuredMachine>& machines_;
  Progress& progress_;
  MachineRuns runs_;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::vector<std::string> failures_;  // by case; empty: none
};

}  // namespace

std::size_t keep_part(std::vector<MeasuredCase>& cases, std::size_t rows,
                      const std::function<double(const MeasuredCase&)>& cost_s) {
  std::map<CaseKind, std::map<std::string, std::string>> by_kind;  // hash of what is measured: row
  std::set<std::string> costly;
  for (const MeasuredCase& c : cases)
    if (cost_s(c) <= kMostCostS)
      by_kind[c.kind].emplace(sha256_hex(c.id), row_id(c));
    else
      costly.insert(row_id(c));
  std::set<std::string> kept;
  for (bool any = true; any && kept.size() < rows;) {
    any = false;
    for (auto& [kind, left] : by_kind) {
      while (!left.empty() && kept.contains(left.begin()->second)) left.erase(left.begin());
      if (left.empty() || kept.size() == rows) continue;
      kept.insert(left.begin()->second);
      any = true;
    }
  }
  std::erase_if(cases, [&](const MeasuredCase& c) { return !kept.contains(row_id(c)); });
  return costly.size();
}

MeasuredValidation validate_measured(const MeasuredFolder& folder, const MeasuredOptions& options,
                                     const std::vector<MeasuredMachine>& machines, Progress& progress) {
  MeasuredValidation validation = measured_cases(folder, options.judged);
  validation.source = options.source;
  Predictions(validation, options, machines, progress).run();
  validation.pairs = measured_pairs(validation.cases);
  return validation;
}

}  // namespace t3sim
