// Random mixed traffic on one channel, as much as it takes, for the checker to watch.
#pragma once

#include <random>

#include "memory_fixture.h"

namespace t3sim::test {

struct TrafficMix {
  unsigned read = 1, write = 1, update = 1;  // shares
  unsigned rows = 4;                         // per bank: how often rows conflict
  unsigned idle_every = 0;                   // a pause after each so many requests; 0: none
};

// Two compute ports and communication, each pushing whatever it can as soon as it can.
class TrafficGenerator final : public ChannelClient {
 public:
  TrafficGenerator(const MemoryConfig& memory, const TrafficMix& mix, std::uint64_t seed,
                   CommandObserver* observer)
      : config_(memory),
        map_(config_, 2),
        channel_(config_, 0, {Clock(1), scheduler_, *this, map_, 2}),
        mix_(mix),
        random_(seed) {
    scheduler_.add(channel_);
    channel_.observe(observer);
  }

  // Returns the tick at which the last request was performed.
  Tick run(std::uint64_t requests) {
    left_ = requests;
    for (Tick at = 1; left_ != 0; at = last_ + 1 + random_() % 20'000) {
      until_idle_ = mix_.idle_every == 0 ? requests : mix_.idle_every;
      for (unsigned port = 0; port < 3; ++port) refill(port, at);
      scheduler_.run();
    }
    channel_.settle(last_);
    return last_;
  }
  std::uint64_t performed_count() const { return performed_; }
  const Channel& channel() const { return channel_; }

 private:
  void refill(unsigned port, Tick now) {
    while (left_ != 0 && until_idle_ != 0) {
      const Request r = next(port);
      if (!channel_.can_accept(port, r)) return;
      channel_.push(port, r, now + random_() % 4);
      --left_;
      --until_idle_;
    }
  }
  Request next(unsigned port) {
    const std::uint64_t x = random_();
    const unsigned kind = static_cast<unsigned>(x % (mix_.read + mix_.write + mix_.update));
    const std::uint64_t lines = std::uint64_t{mix_.rows} * config_.row_bytes * config_.banks() / kLineBytes;
    Request r = OneChannel::make(kind < mix_.read                ? Op::read
                                 : kind < mix_.read + mix_.write ? Op::write
                                                                 : Op::update,
                                 (x >> 8) % lines * kLineBytes, static_cast<std::uint8_t>(1 + (x >> 4) % 15));
    // Half of the time the line after the last one, so that there are row hits.
    if ((x >> 60 & 1) != 0) r.address = (last_line_[port] + 1) % lines * kLineBytes;
    last_line_[port] = r.address / kLineBytes;
    r.stream = port == 2 ? Stream::communication : Stream::compute;
    return r;
  }

  bool may_enqueue(const Request&) override { return true; }
  void enqueued(const Request&, Tick) override {}
  void performed(Request&, Tick now) override {
    ++performed_;
    last_ = std::max(last_, now);
  }
  void read_done(const Request&, Tick at) override { last_ = std::max(last_, at); }
  void port_free(unsigned, unsigned port, Tick now) override { refill(port, now); }

  MemoryConfig config_;
  Scheduler scheduler_;
  AddressMap map_;
  Channel channel_;
  TrafficMix mix_;
  std::mt19937_64 random_;
  std::uint64_t left_ = 0, until_idle_ = 0, performed_ = 0;
  std::uint64_t last_line_[3] = {};
  Tick last_ = 0;
};

// A memory in which every timing parameter decides something.
inline MemoryConfig tight_memory() {
  MemoryConfig c = reference_memory();
  c.timing.ccd_s = 3;
  c.timing.ccd_l = 5;
  c.timing.ccd_update = 7;
  c.timing.rrd_s = 4;
  c.timing.rrd_l = 6;
  c.timing.faw = 24;
  c.timing.rc = 52;
  c.timing.wtr_l = 9;
  return c;
}

}  // namespace t3sim::test
