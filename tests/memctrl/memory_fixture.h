// What the tests of the memory controller share: configurations, and a client that drives one channel.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "memctrl/channel.h"
#include "memctrl/checker.h"

namespace t3sim::test {

// A file that says no more than `memory: ...`.
struct MemoryFile {
  MemoryConfig memory;
};
inline void describe(config::Visitor& v, MemoryFile& c) { v.section("memory", c.memory, "memory"); }

inline MemoryConfig load_memory(const std::string& name) {
  MemoryFile file;
  config::read(config::load_file(std::string(T3SIM_SOURCE_DIR) + "/configs/memory/" + name).root, file);
  file.memory.validate();
  return file.memory;
}

inline MemoryConfig reference_memory() { return load_memory("hbm2-reference.yaml"); }

// The paper's memory, cut down to one channel without bank hash, so that every address is its and line_at()
// holds.
inline MemoryConfig paper_channel() {
  MemoryConfig config;
  config.channels = 1;
  config.hash_bank = false;
  return config;
}

// Address of a line of paper_channel(): 16 lines a row, 4 groups of 4 banks.
inline std::uint64_t line_at(unsigned group, unsigned bank, std::uint32_t row, unsigned line = 0) {
  return std::uint64_t{row} << 15 | std::uint64_t{bank} << 13 | std::uint64_t{group >> 1} << 12 |
         std::uint64_t{line} << 8 | std::uint64_t{group & 1} << 7;
}

// Records every command.
struct CommandLog final : CommandObserver {
  std::vector<IssuedCommand> commands;
  void command(const IssuedCommand& issued) override { commands.push_back(issued); }

  // Column and row commands of one kind.
  std::vector<IssuedCommand> of(Command kind) const {
    std::vector<IssuedCommand> found;
    for (const IssuedCommand& c : commands)
      if (c.command == kind) found.push_back(c);
    return found;
  }
};

struct Event {
  Request request;
  Tick at = 0;
};

// One channel with a period of one tick, and a client that remembers what it is told.
class OneChannel : public ChannelClient {
 public:
  explicit OneChannel(const MemoryConfig& memory, unsigned compute_ports = 1, Tick period = 1)
      : config(memory),
        map(config, 1),
        channel(config, 0, {Clock(period), scheduler, *this, map, compute_ports}) {
    scheduler.add(channel);
    channel.observe(&log);
  }

  static Request make(Op op, std::uint64_t address, std::uint8_t sectors = kFullLine) {
    Request r;
    r.op = op;
    r.address = address & ~std::uint64_t{kLineBytes - 1};
    r.sectors = sectors;
    return r;
  }
  // A 64-byte access as traces have them.
  static Request half_line(Op op, std::uint64_t address) {
    return make(op, address, address % kLineBytes == 0 ? 0b0011 : 0b1100);
  }
  void push(Request request, Tick ready, unsigned port = 0) {
    if (port == channel.communication_port()) request.stream = Stream::communication;
    ASSERT_TRUE(channel.can_accept(port, request));
    channel.push(port, request, ready);
  }
  void run() { scheduler.run(); }
  // The next tick at which anything happens.
  void step() { scheduler.run_until(scheduler.next_event() + 1); }
  bool may_enqueue(const Request& r) override { return !gate || gate(r); }
  void enqueued(const Request& r, Tick now) override { entered.push_back({r, now}); }
  void performed(Request& r, Tick now) override { done.push_back({r, now}); }
  void read_done(const Request& r, Tick at) override { reads.push_back({r, at}); }
  void port_free(unsigned, unsigned port, Tick now) override {
    freed.push_back(port);
    if (on_port_free) on_port_free(port, now);
  }

  MemoryConfig config;
  Scheduler scheduler;
  AddressMap map;
  CommandLog log;
  Channel channel;
  std::function<bool(const Request&)> gate;
  std::function<void(unsigned, Tick)> on_port_free;
  std::vector<Event> entered, done, reads;
  std::vector<unsigned> freed;
};

}  // namespace t3sim::test
