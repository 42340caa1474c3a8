#include "validation/measured/validation.h"

#include <cmath>

#include "validation/measured/pairs.h"

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
  KindError error;
  double sum = 0;
  for (const MeasuredCase& c : cases) {
    if (c.kind != kind || (which != Rows::all && c.calibration != (which == Rows::calibration))) continue;
    ++error.rows;
    error.worst_pct = std::max(error.worst_pct, c.error_pct());
    sum += kind == CaseKind::interference ? c.error_pct() : std::log1p(c.error_pct() / 100);
  }
  if (error.rows == 0) return error;
  const double mean = sum / static_cast<double>(error.rows);
  error.error_pct = kind == CaseKind::interference ? mean : 100 * std::expm1(mean);
  return error;
}

MeasuredValidation measured_cases(const MeasuredFolder& folder, Judged judged) {
  MeasuredValidation validation;
  validation.bad_rows = folder.bad_rows;
  validation.other_files = folder.other_files;
  for (const MeasuredRow& row : folder.rows)
    add_cases(row, folder.kernels, validation.cases, validation.left_out);
  for (MeasuredCase& c : validation.cases)
    c.calibration = judged == Judged::half && in_calibration_half(c.id);
  return validation;
}

MeasuredValidation validate_measured(const MeasuredFolder& folder,
                                     const std::vector<MeasuredMachine>& machines, Judged judged,
                                     Progress& progress) {
  MeasuredValidation validation = measured_cases(folder, judged);
  std::vector<MeasuredCase> predicted;
  progress.begin("measured timings", 1, 1);
  for (MeasuredCase& c : validation.cases) {
    progress.update(
        1, static_cast<double>(&c - validation.cases.data()) / static_cast<double>(validation.cases.size()));
    const MeasuredMachine* machine = machine_of(machines, c.place().gpu);
    if (!machine) {
      ++validation.left_out["rows of " + c.place().gpu + ", for which no configuration is given"];
      continue;
    }
    predict(*machine, c);
    predicted.push_back(std::move(c));
  }
  progress.end(1);
  validation.cases = std::move(predicted);
  validation.pairs = measured_pairs(validation.cases);
  return validation;
}

}  // namespace t3sim
