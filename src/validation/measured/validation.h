// t3sim validate measured: timings taken on real GPUs beside ours.
#pragma once

#include "results/progress.h"
#include "validation/measured/cases.h"
#include "validation/measured/csv_folder.h"

namespace t3sim {

// Of data that the machine's values were calibrated on, the half that was not used; of any other, every row.
enum class Judged : std::uint8_t { half, all };

// Error over the rows of a kind: geometric mean of max(ours / measured, measured / ours) - 1; of
// interference, mean difference of the slow-downs in points.
struct KindError {
  std::size_t rows = 0;
  double error_pct = 0;
  double worst_pct = 0;
};

// Two measurements of which one is the faster by more than 10 %: do we name it?
struct MeasuredPair {
  std::string question;  // "channels", "order of tiles", ...
  std::string faster, slower;
  double measured_ratio = 0, our_ratio = 0;
  bool right() const { return our_ratio > 1; }
};

struct MeasuredValidation {
  std::vector<MeasuredCase> cases;
  std::vector<MeasuredPair> pairs;
  LeftOut left_out;
  std::vector<std::string> bad_rows, other_files;

  // Over all rows of the kind, those that a calibration may have used, or the others.
  enum class Rows { all, calibration, reported };
  KindError error(CaseKind kind, Rows which) const;
};

// `machines`: a row belongs to the one whose gpu.name its GPU begins with; one that names no GPU, or none of
// theirs when there is only one machine, belongs to the first.
MeasuredValidation validate_measured(const MeasuredFolder& folder,
                                     const std::vector<MeasuredMachine>& machines, Judged judged,
                                     Progress& progress);

// Cases of a folder, not predicted yet.
MeasuredValidation measured_cases(const MeasuredFolder& folder, Judged judged);

std::string measured_summary_csv(const MeasuredValidation& validation);
std::string measured_cases_csv(const MeasuredValidation& validation);
std::string measured_pairs_csv(const MeasuredValidation& validation);
std::string measured_text(const MeasuredValidation& validation);

}  // namespace t3sim
