// The machine of a row.
#pragma once

#include "validation/measured/machine.h"

namespace t3sim {

// The machine of a row that `gpus` GPUs took part in: the machine's file describes one GPU and its ports.
Config row_machine(const MeasuredMachine& machine, std::uint32_t gpus);

}  // namespace t3sim
