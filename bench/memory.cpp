// Requests through one memory channel, as `t3sim memory` replays them.
#include <benchmark/benchmark.h>

#include <vector>

#include "memctrl/replay.h"

namespace t3sim {
namespace {

constexpr std::size_t kRequests = 200'000;

void replay_all(benchmark::State& state, const std::vector<TraceRequest>& trace, std::uint32_t channels) {
  MemoryConfig config;
  config.channels = channels;
  for (auto _ : state) benchmark::DoNotOptimize(replay(config, trace));
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * trace.size()));
}

void memory_sequential(benchmark::State& state) {
  std::vector<TraceRequest> trace;
  for (std::uint64_t i = 0; i < kRequests; ++i) trace.push_back({0, i * kTraceRequestBytes, Op::read});
  replay_all(state, trace, static_cast<std::uint32_t>(state.range(0)));
}
BENCHMARK(memory_sequential)->Arg(1)->Arg(32)->Unit(benchmark::kMillisecond);

void memory_random(benchmark::State& state) {
  std::vector<TraceRequest> trace;
  std::uint64_t x = 1;
  for (std::size_t i = 0; i < kRequests; ++i) {
    x = x * 6364136223846793005ULL + 1442695040888963407ULL;
    trace.push_back({0, (x >> 33) * kTraceRequestBytes, Op::read});
  }
  replay_all(state, trace, static_cast<std::uint32_t>(state.range(0)));
}
BENCHMARK(memory_random)->Arg(1)->Arg(32)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace t3sim
