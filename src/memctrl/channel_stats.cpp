#include "memctrl/channel_stats.h"

#include <fmt/format.h>

namespace t3sim {

namespace {

constexpr const char* kStreamNames[kStreams] = {"compute", "communication"};
constexpr const char* kTrafficNames[kTraffics] = {"gemm", "rs", "ag", "other"};
constexpr const char* kOpNames[kOps] = {"read", "write", "update"};
constexpr const char* kOutcomeNames[kRowOutcomes] = {"row_hits", "row_misses", "row_conflicts"};

double ratio(double a, double b) { return b == 0 ? 0 : a / b; }

}  // namespace

ChannelStats::ChannelStats(Tick series_interval) {
  for (auto& of_traffic : series) of_traffic.fill(Series(series_interval));
  for (auto* of_stream : {&stream_bytes, &stream_requests, &stream_row_hits, &occupancy})
    of_stream->fill(Series(series_interval));
  if (series_interval != 0) occupancy_bin_end = series_interval;
}

// The sums at the ends of intervals are interpolated: the occupancies held until `to`.
void ChannelStats::occupied_over_time(unsigned compute_bursts, unsigned communication_bursts, Tick to) {
  const Tick interval = occupancy[0].interval();
  const unsigned bursts[kStreams] = {compute_bursts, communication_bursts};
  for (; occupancy_bin_end <= to; occupancy_bin_end += interval)
    for (int s = 0; s < kStreams; ++s) {
      const std::uint64_t sum = occupancy_ticks[s] - bursts[s] * (to - occupancy_bin_end);
      occupancy[static_cast<std::size_t>(s)].add(occupancy_bin_end - 1,
                                                 sum - occupancy_before[static_cast<std::size_t>(s)]);
      occupancy_before[static_cast<std::size_t>(s)] = sum;
    }
}

void ChannelStats::settle() {
  for (std::size_t s = 0; s < kStreams; ++s) {
    if (occupancy_ticks[s] != occupancy_before[s])
      occupancy[s].add(occupancy_bin_end - 1, occupancy_ticks[s] - occupancy_before[s]);
    occupancy_before[s] = occupancy_ticks[s];
  }
}

void ChannelStats::performed(const Request& request, RowOutcome outcome, Tick now) {
  const std::uint32_t moved = request_bytes(request);
  const auto traffic = static_cast<std::size_t>(request.traffic);
  const auto stream = static_cast<std::size_t>(request.stream);
  bytes[traffic][static_cast<int>(request.op)] += moved;
  bytes_of_stream[stream] += moved;
  Series& over_time = series[traffic][request.op == Op::read ? 0 : 1];
  if (over_time.interval() == 0) return;
  over_time.add(now, moved);
  stream_bytes[stream].add(now, moved);
  stream_requests[stream].add(now, 1);
  stream_row_hits[stream].add(now, outcome == RowOutcome::hit ? 1 : 0);
}

void ChannelStats::fetched(const Request& request, Tick now) {
  const std::uint32_t moved = request_bytes(request);
  const auto traffic = static_cast<std::size_t>(request.traffic);
  const auto stream = static_cast<std::size_t>(request.stream);
  bytes[traffic][static_cast<int>(Op::read)] += moved;
  bytes_of_stream[stream] += moved;
  if (series[traffic][0].interval() == 0) return;
  series[traffic][0].add(now, moved);
  stream_bytes[stream].add(now, moved);
}

void ChannelStats::report(StatsSink& sink, std::string_view component, const DramQueueStats& queue,
                          Tick elapsed, Tick period, std::uint32_t burst_cycles) const {
  const auto cycles = [period](std::uint64_t ticks) { return ticks / period; };
  for (int t = 0; t < kTraffics; ++t)
    for (int o = 0; o < kOps; ++o)
      sink.count(component, fmt::format("{}_{}_bytes", kTrafficNames[t], kOpNames[o]), bytes[t][o], "bytes");
  for (int c = 0; c < kCommands; ++c)
    sink.count(component, fmt::format("commands_{}", to_string(static_cast<Command>(c))), queue.commands[c],
               "1");

  for (int s = 0; s < kStreams; ++s) {
    const auto name = [s](std::string_view what) { return fmt::format("{}_{}", kStreamNames[s], what); };
    sink.count(component, name("requests"), requests[s], "1");
    for (int o = 0; o < kRowOutcomes; ++o)
      sink.count(component, name(kOutcomeNames[o]), queue.row_outcomes[s][o], "1");
    sink.count(component, name("bytes"), bytes_of_stream[s], "bytes");
    sink.count(component, name("port_wait"), cycles(port_wait_ticks[s]), "cycles");
    sink.count(component, name("head_wait"), cycles(head_wait_ticks[s]), "cycles");
    sink.count(component, name("queue_wait"), cycles(queue_wait_ticks[s]), "cycles");
    sink.real(component, name("mean_queue_occupancy"),
              ratio(static_cast<double>(occupancy_ticks[s]), static_cast<double>(elapsed)), "bursts");
    const LatencyHistogram& latency = read_latency[static_cast<std::size_t>(s)];
    sink.count(component, name("reads"), latency.count(), "1");
    sink.real(component, name("read_latency_mean"), latency.mean(), "cycles");
    sink.count(component, name("read_latency_p50"), latency.percentile(0.50), "cycles");
    sink.count(component, name("read_latency_p99"), latency.percentile(0.99), "cycles");
    sink.count(component, name("read_latency_max"), latency.max(), "cycles");
  }

  const std::uint64_t columns = queue.commands[static_cast<int>(Command::read)] +
                                queue.commands[static_cast<int>(Command::write)] +
                                queue.commands[static_cast<int>(Command::update)];
  sink.count(component, "data_bus_busy", columns * burst_cycles, "cycles");
  sink.count(component, "elapsed", cycles(elapsed), "cycles");
  sink.count(component, "direction_changes", queue.direction_changes, "1");
  sink.count(component, "age_cap_hits", queue.age_cap_hits, "1");
  sink.count(component, "max_queue_occupancy", max_occupancy, "bursts");
  sink.count(component, "parked_requests", parked, "1");
  sink.count(component, "max_parked_requests", max_parked, "1");
}

}  // namespace t3sim
