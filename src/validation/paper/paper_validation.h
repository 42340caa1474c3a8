// t3sim validate paper: the evaluation of the T3 paper, rerun (validation/paper/README.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/config.h"
#include "validation/paper/figure.h"

namespace t3sim::paper {

// Figures that can be asked for.
std::vector<unsigned> known_figures();

// Reruns one figure or all, each configuration once. With `sensitivity`, instead, the table of what moves the
// results. Throws InputError for a figure that is not known.
Report validate(const Config& machine, const Targets& targets, std::optional<unsigned> figure,
                bool sensitivity, const PointOptions& options);

}  // namespace t3sim::paper
