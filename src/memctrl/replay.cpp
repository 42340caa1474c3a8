#include "memctrl/replay.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "base/cpu_time.h"
#include "base/error.h"
#include "base/number.h"
#include "memctrl/channel.h"
#include "memctrl/checker.h"

namespace t3sim {

namespace {

constexpr Tick kPeriod = 1;  // a tick is a memory cycle

class Injector final : public ChannelClient {
 public:
  Injector(const MemoryConfig& config, std::span<const TraceRequest> trace, bool check)
      : trace_(trace), map_(config, 1), period_ns_(1e9 / real(config.clock_hz)) {
    for (unsigned c = 0; c < config.channels; ++c) {
      channels_.push_back(
          std::make_unique<Channel>(config, c, ChannelWiring{Clock(kPeriod), scheduler_, *this, map_, 1}));
      scheduler_.add(*channels_.back());
      if (check) {
        checkers_.push_back(std::make_unique<ProtocolChecker>(config, kPeriod));
        channels_.back()->observe(checkers_.back().get());
      }
    }
  }

  void run() {
    inject(0);
    scheduler_.run();
    for (const auto& channel : channels_) channel->settle(last_data_);
    if (served_ != trace_.size())
      throw CheckError(fmt::format("memory replay: of {} requests {} were served", trace_.size(), served_));
  }
  ReplayResult result() const;

  bool may_enqueue(const Request&) override { return true; }
  void enqueued(const Request&, Tick) override {}
  void performed(Request& request, Tick now) override {
    if (request.op != Op::read) serve(now);
  }
  void read_done(const Request&, Tick at) override { serve(at); }
  void port_free(unsigned, unsigned, Tick now) override { inject(now); }

 private:
  void serve(Tick at) {
    ++served_;
    last_data_ = std::max(last_data_, at);
  }
  // Hands over requests as far ahead as the ports take them; each becomes visible in its own cycle.
  void inject(Tick now) {
    while (next_ < trace_.size()) {
      const TraceRequest& t = trace_[next_];
      Request request;
      request.address = t.address & ~std::uint64_t{kLineBytes - 1};
      request.sectors = t.address % kLineBytes == 0 ? 0b0011 : 0b1100;
      request.op = t.op;
      Channel& channel = *channels_[map_.channel(t.address)];
      if (!channel.can_accept(0, request)) return;
      const Tick at = std::max({t.cycle, next_free_, now + 1});
      channel.push(0, request, at);
      next_free_ = at + 1;
      ++next_;
    }
  }

  std::span<const TraceRequest> trace_;
  Scheduler scheduler_;
  AddressMap map_;
  double period_ns_;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<std::unique_ptr<ProtocolChecker>> checkers_;
  std::size_t next_ = 0, served_ = 0;
  Tick next_free_ = 0;  // one request a cycle
  Tick last_data_ = 0;
};

ReplayResult Injector::result() const {
  ReplayResult r;
  LatencyHistogram latency;
  std::uint64_t hits = 0, outcomes = 0;
  for (const auto& channel : channels_) {
    latency.merge(channel->stats().read_latency[0]);
    const DramQueueStats& q = channel->queue_stats();
    hits += q.row_outcomes[0][ordinal(RowOutcome::hit)];
    for (const std::uint64_t n : q.row_outcomes[0]) outcomes += n;
    r.direction_changes += q.direction_changes;
    r.age_cap_hits += q.age_cap_hits;
    r.activates += q.commands[ordinal(Command::activate)];
    r.refreshes += q.commands[ordinal(Command::refresh)] + q.commands[ordinal(Command::refresh_bank)];
  }
  r.cycles = last_data_;
  r.requests = trace_.size();
  const double ns = real(r.cycles) * period_ns_;
  if (ns > 0) r.bandwidth_GBps = real(r.requests) * kTraceRequestBytes / ns;
  r.avg_read_latency_ns = latency.mean() * period_ns_;
  r.p50_read_latency_ns = real(latency.percentile(0.5)) * period_ns_;
  r.p99_read_latency_ns = real(latency.percentile(0.99)) * period_ns_;
  r.min_read_latency_ns = real(latency.min()) * period_ns_;
  r.max_read_latency_ns = real(latency.max()) * period_ns_;
  if (outcomes > 0) r.row_hit_rate = real(hits) / real(outcomes);
  for (const auto& checker : checkers_) {
    checker->finish(last_data_);
    r.commands_checked += checker->commands();
    r.violation_count += checker->violation_count();
    r.violations.insert(r.violations.end(), checker->violations().begin(), checker->violations().end());
  }
  return r;
}

}  // namespace

ReplayResult replay(const MemoryConfig& config, std::span<const TraceRequest> trace, bool check) {
  const double start = cpu_seconds();
  Injector injector(config, trace, check);
  injector.run();
  const double used = cpu_seconds() - start;
  ReplayResult result = injector.result();
  result.host_cpu_seconds = used;
  return result;
}

}  // namespace t3sim
