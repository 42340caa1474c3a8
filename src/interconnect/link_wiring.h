#pragma once

#include "interconnect/outbox.h"
#include "sim/scheduler.h"
#include "sim/time.h"

namespace t3sim {

// What a GPU's ends of links are connected to. Scheduler and outbox outlive them.
struct LinkWiring {
  const TimeBase& time;
  Scheduler& scheduler;
  Outbox& outbox;
  Tick series_interval = 0;  // of the bytes over time, in ticks; 0 for none
};

}  // namespace t3sim
