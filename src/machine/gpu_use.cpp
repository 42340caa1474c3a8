// How much of each part the phase used.
#include <algorithm>

#include "base/number.h"
#include "machine/gpu_stats.h"

namespace t3sim {
namespace {

// A read of a line that finds no other request and its bank closed, as the controllers count latency.
Tick idle_read(const MemoryConfig& memory, Tick period) {
  const DramTiming& t = memory.timing;
  const std::uint64_t bursts = std::max<std::uint64_t>(kLineBytes / memory.burst_bytes, 1);
  return (1 + t.rcd_read + t.cl + (bursts - 1) * t.ccd_l + t.burst) * period;
}

void add_compute(const Gpu& gpu, PhaseUse& use) {
  const GpuConfig& config = gpu.spec().gpu;
  const L2Config& l2 = gpu.spec().l2;
  const Clock core = gpu.core();
  PhaseUse::Compute& c = use.compute;
  c.cus = gpu.parts().cus.size();
  c.peak_flops = real(c.cus * config.matrix_flops_per_cycle) * real(config.clock_hz);
  const std::uint64_t places = use.account.kernel.places;  // the dispatcher reaches one a cycle
  c.until_dispatched =
      places * gpu.kernels().back()->run->setup().start + core.cycles(places * (places - 1) / 2);
  for (const auto& cu : gpu.parts().cus) {
    const MatrixTime matrix = cu->matrix_time();
    const CuStats& s = cu->stats();
    c.useful += matrix.useful;
    c.padding += matrix.padding;
    use.loads.groups += s.groups;
    use.loads.issuing += core.cycles(s.load_lines);
    use.loads.reply_wait += s.reply_wait;
    use.loads.wait_in_flight += s.wait_in_flight;
    use.loads.wait_to_load += s.wait_to_load;
  }
  use.loads.network_and_l2 = core.cycles(2 * config.noc_latency_cycles + l2.latency_cycles);
  use.loads.dram_path = core.cycles(l2.dram_path_cycles);
}

void add_l2(const Gpu& gpu, PhaseUse& use) {
  for (const auto& slice : gpu.parts().l2()) {
    const L2Stats& s = slice->stats();
    use.l2.read_requests += s.read_requests;
    use.l2.requests += s.read_requests + s.store_requests;
    use.l2.read_sectors += s.read_sectors;
    use.l2.hit_sectors += s.hit_sectors;
    use.l2.input_wait += s.input_wait;
    use.l2.held_by_dram += s.wait_dram_queue;
    use.l2.held_by_mshrs += s.wait_mshr;
    use.l2.transferring += s.transferring;
  }
}

void add_dram(const Gpu& gpu, PhaseUse& use) {
  const MemoryConfig& memory = gpu.spec().memory;
  const Tick period = gpu.time().period(memory.clock_hz);
  use.dram.peak = memory.peak_bytes_per_second();
  use.dram.time = gpu.drained();
  use.dram.idle_read = idle_read(memory, period);
  for (const auto& channel : gpu.parts().channels) {
    const ChannelStats& s = channel->stats();
    const auto add = [&](PhaseUse::Dram::Reads& reads, Stream stream) {
      const LatencyHistogram& latency = s.read_latency[ordinal(stream)];
      reads.count += latency.count();
      reads.time += latency.sum() * period;
    };
    add(use.dram.compute, Stream::compute);
    add(use.dram.communication, Stream::communication);
    for (const std::uint64_t bytes : s.bytes_of_stream) use.dram.bytes += bytes;
  }
}

void add_link(const Gpu& gpu, PhaseUse& use) {
  LinkEgress& port = *gpu.parts().egress->ports()[use.account.port];
  const LinkStats& sent = port.stats();
  use.link.until_fed = port.account().until_fed();
  use.link.fed_by_kernel = !gpu.collective() || !gpu.collective()->program.of_other_data;
  use.link.credit_ticks = sent.credit_ticks;
  if (sent.packets == 0) return;
  const Tick packet = sent.busy / sent.packets;
  const Tick latency = gpu.time().from_ps(gpu.spec().ports.out[use.account.port].latency_ps);
  use.link.wire_ticks = sent.bytes * (2 * latency + packet);
  // Packets at the other end wait as those do that come in here; this port's part of them.
  const IngressStats& in = gpu.parts().ingress->stats();
  const double share = in.bytes == 0 ? 0 : real(sent.bytes) / real(in.bytes);
  use.link.memory_ticks = static_cast<std::uint64_t>(share * real(in.memory_wait));
}

}  // namespace

PhaseUse use_of(const Gpu& gpu) {
  PhaseUse use;
  use.account = account_of(gpu);
  use.ticks_per_second = real(gpu.time().ticks_per_second());
  if (!gpu.kernels().empty()) add_compute(gpu, use);
  add_l2(gpu, use);
  add_dram(gpu, use);
  add_link(gpu, use);
  return use;
}

}  // namespace t3sim
