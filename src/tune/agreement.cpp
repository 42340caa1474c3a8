#include "tune/agreement.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/cpu_time.h"
#include "base/error.h"
#include "message/engine.h"
#include "run/messages.h"
#include "tune/channel_plans.h"
#include "tune/cycle_runs.h"

namespace t3sim::tune {

Config with_topology(Config machine, const std::string& shape, std::uint32_t gpus) {
  machine.gpus.count = gpus;
  TopologyConfig& t = machine.topology;
  t.hop_latency_ps = t.link.latency_ps / 4;
  if (shape == "switch") {
    t.kind = TopologyKind::switched;
  } else if (shape == "ring") {
    t.kind = TopologyKind::torus;
    t.shape = {gpus, 1, 1};
  } else if (shape == "mesh") {
    t.kind = TopologyKind::mesh;
    t.shape = gpus % 4 == 0 ? std::array<std::uint32_t, 3>{gpus / 2, 2, 1}
                            : std::array<std::uint32_t, 3>{gpus, 1, 1};
  } else {
    throw InputError(fmt::format("topology {}; allowed: ring, mesh, switch", shape));
  }
  return machine;
}

Agreement compare_levels(const Config& machine, const message::EndpointConfig& endpoint,
                         const AgreementCase& c) {
  const message::Plan plan = message::make_plan(c.collective);
  const message::Protocol protocol =
      message::protocol(c.protocol, machine.execution.channel.buffer_bytes, c.collective.kind);
  const message::Schedule schedule(c.collective, plan, protocol, c.channels);
  const Config config = with_protocol(channel_machine(machine, c.collective.gpus, false), c.protocol);
  Agreement a;
  const double before = cpu_seconds();
  const CycleRun cycle = run_channels(config, channel_plans(schedule));
  a.host_seconds = cpu_seconds() - before;
  a.cycle_us = cycle.us;

  const auto topology = make_topology(machine.topology, c.collective.gpus);
  message::Wires wires(*topology, 128);
  message::Endpoint ours = endpoint_for(machine, endpoint, c.protocol);
  ours.launch -= std::min<std::uint64_t>(ours.launch, machine.execution.channel.launch_ps);
  message::Engine engine(wires, ours, machine.message.piece_bytes);
  engine.add(schedule, 0);
  a.message_us = static_cast<double>(engine.run().front().end) / 1e6;
  for (std::uint32_t l = 0; l < topology->graph.links().size(); ++l) {
    const std::uint64_t theirs = l < cycle.link_bytes.size() ? cycle.link_bytes[l] : 0;
    a.cycle_bytes += theirs;
    a.message_bytes += wires.use(l).bytes;
    a.links_that_differ += theirs != wires.use(l).bytes;
  }
  return a;
}

}  // namespace t3sim::tune
