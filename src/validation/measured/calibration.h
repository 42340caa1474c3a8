// t3sim calibrate: the few free values of a machine, fitted on the calibration half of measured rows by runs of the machine
// or, for the values that only estimates have, by estimates.
#pragma once

#include <functional>

#include "validation/measured/free_value.h"
#include "validation/measured/validation.h"

namespace t3sim {

struct CalibrationOptions {
  std::vector<std::string> free;  // paths; empty: those that the kinds of the data depend on
  std::vector<CaseKind> kinds;    // that are fitted; empty: all
  Source source =
      Source::machine;    // what is fitted: keys of the machine, by runs of it, or the estimates' values too
  std::size_t rows = 12;  // of the machine's runs: a part, as of MeasuredOptions; 0: all
  unsigned jobs = 1;
  std::string runs;  // folder in which runs are kept
};

struct Calibration {
  struct Value {
    std::string path, before, after;
  };
  std::vector<Value> values;
  MeasuredValidation before, after;  // both halves of the kinds fitted
  unsigned evaluations = 0;
};

// Moves one value at a time, by steps that get smaller, while the mean squared logarithm of ours / measured
// gets smaller; kinds weigh alike. Throws InputError when there is nothing to fit.
Calibration calibrate(const MeasuredFolder& folder, const MeasuredMachine& machine,
                      const CalibrationOptions& options, Progress& progress);

// The values as lines of a configuration file.
std::string calibration_yaml(const Calibration& calibration);

}  // namespace t3sim
