// Launches of kernels, from text.
#pragma once

#include "program/evaluate.h"
#include "program/loops.h"
#include "program/views.h"

namespace t3sim::program {

// Throws InputError. Split-K workspaces have no address yet.
Launch evaluate_launch(const Context& context, Loops& loops, const Setting& setting,
                       const config::Node& node);

}  // namespace t3sim::program
