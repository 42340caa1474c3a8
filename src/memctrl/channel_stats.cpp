#include "memctrl/channel_stats.h"

#include <fmt/format.h>

#include "base/number.h"

namespace t3sim {

namespace {

constexpr const char* kStreamNames[kStreams] = {"compute", "communication"};
constexpr const char* kOpNames[kOps] = {"read", "write", "update"};
constexpr const char* kOutcomeNames[kRowOutcomes] = {"row_hits", "row_misses", "row_conflicts"};

double ratio(double a, double b) { return b == 0 ? 0 : a / b; }

// Names what a channel has counted.
struct Reporter {
  StatsSink& sink;
  std::string_view component;
  Tick period;  // of the memory clock

  void count(std::string_view name, std::uint64_t value, std::string_view unit,
             std::string_view meaning) const {
    sink.count(component, name, value, unit, meaning);
  }
  void cycles(std::string_view name, Tick ticks, std::string_view meaning) const {
    count(name, ticks / period, "cycles", meaning);
  }
  void bytes(const ChannelStats& stats) const {
    for (std::size_t t = 0; t < kTraffics; ++t)
      for (std::size_t o = 0; o < kOps; ++o)
        count(fmt::format("{}_{}_bytes", to_string(static_cast<Traffic>(t)), kOpNames[o]), stats.bytes[t][o],
              "bytes", "moved, by cause and operation");
  }
  void stream(const ChannelStats& stats, const ChannelRun& run, std::size_t s) const {
    const auto name = [s](std::string_view what) { return fmt::format("{}_{}", kStreamNames[s], what); };
    count(name("requests"), stats.requests[s], "1", "of the stream");
    for (std::size_t o = 0; o < kRowOutcomes; ++o)
      count(name(kOutcomeNames[o]), run.queue.row_outcomes[s][o], "1",
            "requests that found their row open, none open, or another one");
    count(name("bytes"), stats.bytes_of_stream[s], "bytes", "moved for the stream");
    cycles(name("port_wait"), stats.port_wait_ticks[s], "requests in the stream's ports, all together");
    cycles(name("head_wait"), stats.head_wait_ticks[s], "of that, at the head of a port");
    cycles(name("queue_wait"), stats.queue_wait_ticks[s], "requests in the DRAM queue, all together");
    sink.real(component, name("mean_queue_occupancy"),
              ratio(real(stats.occupancy_ticks[s]), real(run.elapsed)), "bursts",
              "of the stream in the DRAM queue, mean over the run");
    latency(stats.read_latency[s], name);
  }
  template <class Name>
  void latency(const LatencyHistogram& reads, const Name& name) const {
    count(name("reads"), reads.count(), "1", "reads of the stream");
    sink.real(component, name("read_latency_mean"), reads.mean(), "cycles",
              "from arrival to the end of the data");
    count(name("read_latency_p50"), reads.percentile(0.50), "cycles", "half of the reads took no longer");
    count(name("read_latency_p99"), reads.percentile(0.99), "cycles", "99 % of the reads took no longer");
    count(name("read_latency_max"), reads.max(), "cycles", "no read took longer");
  }
};

}  // namespace

ChannelStats::ChannelStats(Tick series_interval) {
  for (auto& of_traffic : series) of_traffic.fill(Series(series_interval));
  occupancy.fill(Series(series_interval));
  if (series_interval != 0) occupancy_bin_end = series_interval;
}

// The sums at the ends of intervals are interpolated: the occupancies held until `to`.
void ChannelStats::occupied_over_time(unsigned compute_bursts, unsigned communication_bursts, Tick to) {
  const Tick interval = occupancy[0].interval();
  const unsigned bursts[kStreams] = {compute_bursts, communication_bursts};
  for (; occupancy_bin_end <= to; occupancy_bin_end += interval)
    for (int s = 0; s < kStreams; ++s) {
      const std::uint64_t sum = occupancy_ticks[s] - bursts[s] * (to - occupancy_bin_end);
      occupancy[narrow<std::size_t>(s)].add(occupancy_bin_end - 1,
                                            sum - occupancy_before[narrow<std::size_t>(s)]);
      occupancy_before[narrow<std::size_t>(s)] = sum;
    }
}

void ChannelStats::settle() {
  for (std::size_t s = 0; s < kStreams; ++s) {
    if (occupancy_ticks[s] != occupancy_before[s])
      occupancy[s].add(occupancy_bin_end - 1, occupancy_ticks[s] - occupancy_before[s]);
    occupancy_before[s] = occupancy_ticks[s];
  }
}

void ChannelStats::moved(const Request& request, Op op, Tick now) {
  const std::uint32_t moved = request_bytes(request);
  const auto traffic = ordinal(request.traffic);
  bytes[traffic][ordinal(op)] += moved;
  bytes_of_stream[ordinal(request.stream)] += moved;
  series[traffic][op == Op::read ? 0 : 1].add(now, moved);
}

void ChannelStats::report(StatsSink& sink, std::string_view component, const ChannelRun& run) const {
  const Reporter out{sink, component, run.period};
  out.bytes(*this);
  for (std::size_t c = 0; c < kCommands; ++c)
    out.count(fmt::format("commands_{}", to_string(static_cast<Command>(c))), run.queue.commands[c], "1",
              "commands of the kind issued");
  for (std::size_t s = 0; s < kStreams; ++s) out.stream(*this, run, s);
  const std::uint64_t columns = run.queue.commands[ordinal(Command::read)] +
                                run.queue.commands[ordinal(Command::write)] +
                                run.queue.commands[ordinal(Command::update)];
  out.count("data_bus_busy", columns * run.burst_cycles, "cycles", "the data bus moves data");
  out.cycles("elapsed", run.elapsed, "length of the run");
  out.count("direction_changes", run.queue.direction_changes, "1",
            "of the data bus, from reads to writes or back");
  out.count("age_cap_hits", run.queue.age_cap_hits, "1", "entries that went first because they were old");
  out.count("max_queue_occupancy", max_occupancy, "bursts", "in the DRAM queue at a time, at most");
  out.count("parked_requests", parked, "1", "stores that waited for room in the Tracker");
  out.count("max_parked_requests", max_parked, "1", "of these, at a time, at most");
}

}  // namespace t3sim
