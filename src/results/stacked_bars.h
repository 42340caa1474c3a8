// Stacked bars made of characters.
#pragma once

#include <string>
#include <vector>

#include "results/terminal.h"

namespace t3sim {

struct Bar {
  std::string name;
  std::vector<double> parts;  // one for each legend entry, 0 if it has none
  std::string label;          // behind the bar
};

// A line of title and legend, and a line a bar, all to one scale. Nothing if all parts are 0.
std::string stacked_bars(const std::string& title, const std::vector<std::string>& legend,
                         const std::vector<Bar>& bars, const TerminalStyle& style);

}  // namespace t3sim
