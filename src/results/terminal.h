// The report of a run for a person at a terminal: a table, bars of the same, what the words mean.
#pragma once

#include <string>

#include "results/results.h"

namespace t3sim {

struct TerminalStyle {
  bool unicode = true;      // otherwise bars are made of ASCII
  std::size_t width = 100;  // columns of the bars' lines
};

// True if the locale (LC_ALL, LC_CTYPE, LANG) says UTF-8.
bool terminal_is_utf8();

std::string terminal_report(const RunReport& report, const TerminalStyle& style);

// What is wrong with results that could be written all the same: wrong sums in functional mode. Empty if
// nothing is.
std::string failure_of(const RunReport& report);

}  // namespace t3sim
