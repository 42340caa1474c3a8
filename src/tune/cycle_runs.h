// Channel plans on the machine at cycle level.
#pragma once

#include <vector>

#include "machine/config.h"
#include "message/schedule.h"
#include "plan/channel_plan.h"

namespace t3sim::tune {

struct CycleRun {
  double us = 0;                          // without launch
  std::vector<std::uint64_t> link_bytes;  // by link of the graph; empty where one GPU stands for all
};

// A machine for such runs: its own, without the time of a launch. `mirror`: one GPU stands for all.
Config channel_machine(const Config& machine, std::uint32_t gpus, bool mirror);
// What a protocol's kernel is beside Simple's: fewer bytes under way, and neither barriers nor flags.
Config with_protocol(Config machine, message::ProtocolName protocol);

CycleRun run_channels(const Config& channel_machine, std::vector<ChannelPlan> plans);

}  // namespace t3sim::tune
