// Figures of MCR-DL's evaluation of which its text has no numbers: drawn, and not judged.
#pragma once

#include <string>
#include <vector>

#include "validation/mcr_dl/evaluation.h"

namespace t3sim::mcr_dl {

// All-reduce and all-to-all of 64 GPUs on Lassen, each backend.
std::string figure_two(Machines& machines, const Values& values);
// All-to-all of MVAPICH2-GDR on 32 A100: bare, and with what the frameworks add.
std::string figure_seven(Machines& machines, const Values& values);
// DS-MoE on 256 GPUs, gradients tensor by tensor, as each framework sends them.
std::string figure_eleven(Machines& machines, const Values& values);
// What a step is made of at the last scale: computation, and communication that nothing hides.
std::string figure_twelve(const std::vector<Row>& rows);

}  // namespace t3sim::mcr_dl
