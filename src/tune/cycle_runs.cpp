#include "tune/cycle_runs.h"

#include <algorithm>

#include "machine/cluster.h"
#include "run/network_report.h"

namespace t3sim::tune {

Config channel_machine(const Config& machine, std::uint32_t gpus, bool mirror) {
  Config config = machine;
  config.gpus.count = gpus;
  config.gpus.model = mirror ? GpuModel::mirror : GpuModel::explicit_;
  config.gpus.overrides.clear();
  config.workload = {};
  config.workload.m = config.workload.n = 256;  // a phase has an output, whatever runs
  config.workload.k = 64;
  config.gpu.kernel_launch_cycles = 0;
  return config;
}

Config with_protocol(Config machine, message::ProtocolName protocol) {
  // Threads of a block, and what each has under way: NCCL's sources, 2.28.
  constexpr std::uint64_t kLLThreads = 512, kLLBytes = 16, kLL128Threads = 640, kLL128Bytes = 64;
  if (protocol == message::ProtocolName::simple) return machine;
  machine.gpu.collective_bytes_per_group = static_cast<std::uint32_t>(
      protocol == message::ProtocolName::ll ? kLLThreads * kLLBytes : kLL128Threads * kLL128Bytes);
  machine.execution.channel.slice_sync_ps = 0;
  machine.execution.channel.flag_latency_ps = 0;
  return machine;
}

CycleRun run_channels(const Config& channel_machine, std::vector<ChannelPlan> plans) {
  Phase phase;
  phase.channels = std::make_shared<const std::vector<ChannelPlan>>(std::move(plans));
  const PhaseResult done = Cluster(channel_machine, phase, time_base(channel_machine)).run({});
  CycleRun run;
  run.us = done.time_us;
  for (const LinkLoad& load : link_loads(done).links) run.link_bytes.push_back(load.bytes);
  return run;
}

}  // namespace t3sim::tune
