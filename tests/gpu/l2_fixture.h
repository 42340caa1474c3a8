// One L2 slice in front of a real memory channel, both at a period of one tick, and a client that remembers.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "gpu/l2_slice.h"

namespace t3sim::test {

struct Reply {
  Request request;
  Tick out;
};

struct Recorded {
  Request request;
  Tick at;
};

// Feeds requests one after the other, each as soon as the slice has a place for it.
class Feeder final : public Sender {
 public:
  Feeder(L2Slice& slice, std::vector<Request> requests) : slice_(slice), requests_(std::move(requests)) {}
  void start(Tick at) { feed(at); }
  void granted(Tick now) override {
    slice_.push(requests_[next_++], now + 1);
    feed(now + 1);
  }

 private:
  void feed(Tick at) {
    while (next_ < requests_.size() && slice_.input().take(*this)) slice_.push(requests_[next_++], at);
  }
  L2Slice& slice_;
  std::vector<Request> requests_;
  std::size_t next_ = 0;
};

class OneSlice : public ChannelClient, private StoreListener, private ReplySink {
 public:
  static L2Config small_l2() {
    L2Config config;
    config.size_bytes = 64 * kLineBytes;
    config.slices = 1;
    config.ways = 4;
    config.latency_cycles = 120;
    config.bytes_per_cycle = 32;
    config.input_queue = 16;
    config.mshrs = 8;
    config.mshr_merge = 4;
    config.dram_path_cycles = 100;
    return config;
  }
  static MemoryConfig one_channel() {
    MemoryConfig config;
    config.channels = 1;
    return config;
  }

  explicit OneSlice(const L2Config& l2 = small_l2(), const MemoryConfig& memory_config = one_channel(),
                    PayloadPool* pool = nullptr)
      : config(l2),
        memory(memory_config),
        map(memory, 1),
        channel(memory, 0, {Clock(1), scheduler, *this, map, 1}),
        sinks{this},
        slice(config, 0, 0, {Clock(1), scheduler, channel, 0, sinks, *this, pool}) {
    scheduler.add(channel);
    scheduler.add(slice);
  }

  static Request access(Op op, std::uint32_t line, std::uint8_t sectors = kFullLine) {
    Request r;
    r.op = op;
    r.address = std::uint64_t{line} * kLineBytes;
    r.sectors = sectors;
    return r;
  }
  static Request read(std::uint32_t line, std::uint8_t sectors = kFullLine) {
    return access(Op::read, line, sectors);
  }
  static Request store(std::uint32_t line, std::uint8_t sectors = kFullLine) {
    return access(Op::write, line, sectors);
  }

  // Lets the slice see the requests from tick `at` on, and runs until nothing moves.
  void run(const std::vector<Request>& requests, Tick at = 0) {
    const Tick start = std::max(at, scheduler.now() + 100);  // the port is free again
    started = start;
    Feeder feeder(slice, requests);
    feeder.start(start);
    scheduler.run();
  }
  std::vector<Recorded> entered_dram(Op op) const {
    std::vector<Recorded> found;
    for (const Recorded& r : entered)
      if (r.request.op == op) found.push_back(r);
    return found;
  }

  bool may_enqueue(const Request&) override { return true; }
  void enqueued(const Request& r, Tick now) override { entered.push_back({r, now}); }
  void performed(Request&, Tick) override {}
  void read_done(const Request& r, Tick at) override {
    fetched.push_back({r, at});
    slice.read_done(r, at);
  }
  void port_free(unsigned, unsigned, Tick now) override { slice.channel_free(now); }

  L2Config config;
  MemoryConfig memory;
  Scheduler scheduler;
  AddressMap map;
  Channel channel;
  std::vector<ReplySink*> sinks;
  L2Slice slice;
  Tick started = 0;
  std::vector<Reply> replies;
  std::vector<Recorded> entered, fetched, accepted;

 private:
  void reply(const Request& r, Tick out) override { replies.push_back({r, out}); }
  void store_accepted(const Request& r, Tick now) override { accepted.push_back({r, now}); }
};

}  // namespace t3sim::test
