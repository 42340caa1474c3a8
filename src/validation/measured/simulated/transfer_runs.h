// Collectives of a library on the machine, by the kernel that runs them.
#pragma once

#include "plan/channel_plan.h"
#include "validation/measured/machine.h"
#include "validation/measured/rows.h"
#include "validation/measured/simulated/machine_runs.h"

namespace t3sim {

ChannelOp collective_op(const CollectiveRow& row);
// That the row's tag allows; 0: as many as the library takes.
std::uint32_t collective_channels_of(const CollectiveRow& row);

// One call, with its launch. `bytes`: the full array on each GPU.
double collective_run_seconds(const MeasuredMachine& machine, ChannelOp op, std::uint32_t world,
                              std::uint64_t bytes, std::uint32_t channels, MachineRuns& runs);

}  // namespace t3sim
