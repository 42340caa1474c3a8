// The sending end of a link of Table 1's ring: what a packet costs the host.
#include <benchmark/benchmark.h>

#include <array>

#include "interconnect/link_egress.h"

namespace t3sim {
namespace {

TimeBase paper_time() {
  constexpr std::array<std::uint64_t, 2> kClocks{1'400'000'000, 1'000'000'000};
  return TimeBase(kClocks);
}

PortSpec port_of(const LinkConfig& config) {
  PortSpec port;
  port.name = "link.out";
  port.bandwidth_Bps = config.bandwidth_Bps;
  port.latency_ps = config.latency_ps;
  port.gpus = {1};
  port.buffer_bytes = std::uint64_t{1} << 40;
  port.header_bytes = config.header_bytes;
  return port;
}

void link_packets(benchmark::State& state) {
  constexpr int kPackets = 10'000;
  const LinkConfig config;
  const TimeBase time = paper_time();
  Scheduler scheduler;
  Outbox outbox;
  LinkEgress link(config, port_of(config), {time, scheduler, outbox}, {[](const Request&, Tick) {}, [](const Request&, Tick) {}});
  scheduler.add(link);
  for (auto _ : state) {
    for (int i = 0; i < kPackets; ++i) link.push_dma(0, Request{}, scheduler.now() + 1);
    scheduler.run();
    outbox.clear();
  }
  state.SetItemsProcessed(state.iterations() * kPackets);
}
BENCHMARK(link_packets)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace t3sim
