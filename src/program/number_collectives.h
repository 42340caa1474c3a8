// Which collectives of the GPUs belong together.
#pragma once

#include "program/program.h"

namespace t3sim::program {

// The same place of the text, the same time it is come to: the same collective on all GPUs, whatever the order. What not all
// GPUs come to there goes with what others have elsewhere, of the same kind and arrays, in order.
void number_collectives(Program& program);

}  // namespace t3sim::program
