// What of a program is to be tuned: parameters, and the values that they may have (docs/programs.md, "Tuning").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program/evaluate.h"
#include "program/text.h"

namespace t3sim::program {

struct Knob {
  std::string parameter;
  std::vector<std::int64_t> values;  // one at least, in the order in which they are tried
};

// Those of `tune` that `setting` says nothing of. Throws InputError, one line, file:line:column.
std::vector<Knob> knobs(const ProgramText& text, const Setting& setting);

}  // namespace t3sim::program
