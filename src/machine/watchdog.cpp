#include "machine/watchdog.h"

#include <algorithm>

#include "machine/config.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kSlackPs = 10'000'000;  // for what takes a few cycles and is not listed

Tick core_waits(const Config& config, const TimeBase& time, std::uint64_t clock_hz) {
  const GpuConfig& g = config.gpu;
  const std::uint64_t cycles = g.kernel_launch_cycles + g.cus * 32ULL + g.l1_latency_cycles +
                               2 * g.noc_latency_cycles + config.l2.latency_cycles +
                               config.l2.dram_path_cycles + config.tracker.latency_cycles;
  return Clock(time.period(clock_hz)).cycles(cycles);
}

// Between two column commands of a line, of which there is one for each sector.
std::uint64_t command_cycles(const DramTiming& t) {
  return std::max({t.ccd_s, t.ccd_l, t.ccd_update, t.rrd_s, t.rrd_l}) + std::uint64_t{t.faw} +
         std::max(t.rcd_read, t.rcd_write) + t.ras + t.rp + t.rc + t.cl + t.wl + t.burst +
         std::max(t.wtr_s, t.wtr_l) + std::max(t.wr, t.rtp) + t.bus_turnaround;
}

Tick memory_waits(const MemoryConfig& memory, const TimeBase& time) {
  const std::uint64_t cycles = std::uint64_t{memory.refresh.all_bank_cycles} +
                               memory.refresh.per_bank_cycles + memory.arbitration.starvation_limit_cycles +
                               memory.queue.age_cap_cycles + memory.queue.write_age_cap_cycles +
                               kLineBytes / kSectorBytes * command_cycles(memory.timing);
  return Clock(time.period(memory.clock_hz)).cycles(cycles);
}

// A packet of a line at a bandwidth.
Tick packet(const Config& config, const TimeBase& time, std::uint64_t bandwidth_Bps) {
  const std::uint64_t bytes = kLineBytes + config.topology.link.header_bytes + config.tracker.metadata_bytes;
  return time.from_ps(bytes * 1'000'000'000'000ULL / bandwidth_Bps + 1);
}

}  // namespace

Tick longest_wait(const Config& config, const TimeBase& time) {
  const TopologyConfig& topology = config.topology;
  std::uint64_t slowest_core = config.gpu.clock_hz, start_ps = 0;
  std::uint64_t slowest_link = std::min(topology.link.bandwidth_Bps, topology.outer_bandwidth_Bps);
  for (const auto& [gpu, own] : config.gpus.overrides) {
    slowest_core = std::min(slowest_core, own.clock_hz.value_or(slowest_core));
    slowest_link = std::min(slowest_link, own.link_bandwidth_Bps.value_or(slowest_link));
    start_ps = std::max(start_ps, own.start_delay_ps.value_or(0));
  }
  std::uint64_t latency_ps = std::max(topology.link.latency_ps, topology.outer_latency_ps);
  if (is_network(topology.kind)) {
    const auto made = make_topology(topology, config.gpus.count);
    for (const GraphLink& link : made->graph.links()) {
      slowest_link = std::min(slowest_link, link.bandwidth_Bps);
      latency_ps = std::max(latency_ps, link.latency_ps + made->graph.vertex(link.to).latency_ps);
    }
    if (topology.card.puts != CardPuts::none)  // a put: to the card, to the data, there, and back
      latency_ps = 8 * latency_ps + topology.card.put_time_ps + topology.card.host_time_ps;
    for (const Vertex& vertex : made->graph.vertices())
      if (vertex.rate_Bps != 0) slowest_link = std::min(slowest_link, vertex.rate_Bps);
  }
  return time.from_ps(start_ps + 2 * latency_ps + config.execution.channel.flag_latency_ps + kSlackPs) +
         packet(config, time, slowest_link) + core_waits(config, time, slowest_core) +
         memory_waits(memory_config(config, ArbitrationKind::mca), time);
}

}  // namespace t3sim
