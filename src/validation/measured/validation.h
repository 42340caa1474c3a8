// t3sim validate measured: timings taken on real GPUs beside ours.
#pragma once

#include <functional>

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

// Where our numbers come from.
enum class Source : std::uint8_t {
  machine,   // that `t3sim run` simulates
  estimate,  // analytic models (estimate/)
};

// Two measurements that differ in one choice and not obviously (pairs.h): do we name the faster?
struct MeasuredPair {
  std::string question;  // "channels", "order of tiles", ...
  std::string faster, slower;
  double measured_ratio = 0, our_ratio = 0;
  bool calibration = false;  // a value may have been chosen on one of them
  bool right() const { return our_ratio > 1; }
};

// A row that the machine did not get through, and why.
struct FailedCase {
  MeasuredCase of;
  std::string why;
};

struct MeasuredValidation {
  std::vector<MeasuredCase> cases;
  std::vector<MeasuredPair> pairs;
  LeftOut left_out;
  std::vector<std::string> bad_rows, other_files;
  std::vector<FailedCase> failed;  // in no mean
  Source source = Source::estimate;
  std::size_t rows_not_asked = 0;  // that a part leaves out
  std::string cost;                // of the machine's runs

  // Over all rows of the kind, those that a calibration may have used, or the others.
  enum class Rows { all, calibration, reported };
  KindError error(CaseKind kind, Rows which) const;
  KindError error(const std::function<bool(const MeasuredCase&)>& covers, Rows which) const;
};

struct MeasuredOptions {
  Judged judged = Judged::all;  // which rows are held against the targets
  Source source = Source::machine;
  std::size_t rows = 0;         // a part of so many rows, of every kind alike; 0: all
  std::vector<CaseKind> kinds;  // only these; none: all, but a part leaves out those that are only simulated
  unsigned jobs = 1;
  std::string runs;  // folder in which runs of the machine are kept; empty: none
};

// `machines`: a row belongs to the one whose gpu.name its GPU begins with; one that names no GPU, or none of
// theirs when there is only one machine, belongs to the first.
MeasuredValidation validate_measured(const MeasuredFolder& folder, const MeasuredOptions& options,
                                     const std::vector<MeasuredMachine>& machines, Progress& progress);

// Leaves `rows` rows, of every kind as many as the others allow, chosen by a hash of what they measure among those whose
// cost_s() is no more than kMostCostS. Returns how many rows cost more.
inline constexpr double kMostCostS = 40;
std::size_t keep_part(std::vector<MeasuredCase>& cases, std::size_t rows,
                      const std::function<double(const MeasuredCase&)>& cost_s);

// Cases of a folder, not predicted yet.
MeasuredValidation measured_cases(const MeasuredFolder& folder, Judged judged);

std::string measured_summary_csv(const MeasuredValidation& validation);
std::string measured_cases_csv(const MeasuredValidation& validation);
std::string measured_pairs_csv(const MeasuredValidation& validation);
std::string measured_text(const MeasuredValidation& validation);

}  // namespace t3sim
