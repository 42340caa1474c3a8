// A message plan as the passes of a library's kernel: what the cycle level runs to be held against the message level.
#pragma once

#include <vector>

#include "message/schedule.h"
#include "plan/channel_plan.h"

namespace t3sim::tune {

// By GPU. Every channel of the schedule is a thread block on a CU of its own; the same slices, in the same order, between the
// same GPUs. Blocks that the message plan gathers from several places are moved as one.
std::vector<ChannelPlan> channel_plans(const message::Schedule& schedule);

}  // namespace t3sim::tune
