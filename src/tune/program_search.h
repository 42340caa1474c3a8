// Looks for the fastest of some programs and of the values that their knobs may have (program/knobs.h), on a budget of runs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "program/knobs.h"

namespace t3sim::tune {

// Programs that compute the same, each with its knobs: which one is a knob, too.
struct TunedProgram {
  std::string name;
  std::vector<program::Knob> knobs;
};

struct Candidate {
  std::size_t program = 0;
  std::map<std::string, std::int64_t> values;  // of its knobs
  auto operator<=>(const Candidate&) const = default;
};

struct Outcome {
  double us = 0, error_us = 0;  // and by how much a sample may be off
  std::string refused;          // why it cannot run; else empty
};

struct Tried {
  Candidate candidate;
  Outcome outcome;
};

struct Search {
  std::vector<Tried> tried;  // in the order in which they were
  std::size_t best = 0;      // of `tried`; tried.size(): none can run
  bool ended = true;         // false: the budget did not reach
};

// Of several candidates, side by side.
using Measure = std::function<std::vector<Outcome>(const std::vector<Candidate>&)>;

// One knob at a time, the others at their best so far, from the first values on: all values of it are tried and the best
// stays, until no knob brings anything. At most `budget` runs; those that are refused do not count. The same answers make
// the same search.
Search search(const std::vector<TunedProgram>& programs, std::size_t budget, const Measure& measure);

}  // namespace t3sim::tune
