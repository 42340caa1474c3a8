// What a card or a host's memory does with the packets that pass it: one after the other at its rate, whole
// before it goes on (store and forward), and then its latency.
#pragma once

#include <string>
#include <vector>

#include "base/ring_buffer.h"
#include "interconnect/serialiser.h"
#include "sim/request.h"
#include "sim/scheduler.h"
#include "sim/stats.h"

namespace t3sim {

// Told where a packet goes on.
class PassageClient {
 public:
  virtual ~PassageClient() = default;
  // The packet, which came over `link`, is through at tick `at`.
  virtual void passed(std::uint32_t link, const Request& packet, Tick at) = 0;
};

struct PassageSetup {
  std::string name;
  std::vector<std::uint32_t> links;  // that lead there
  std::uint64_t rate_Bps = 0;        // 0 for no limit
  Tick latency = 0;
};

class Passage final : public Component {
 public:
  Passage(PassageSetup setup, const TimeBase& time, PassageClient& client);
  // Before anything else. The scheduler must outlive the passage.
  void attach(Scheduler& scheduler);

  // A packet that `link` brings at tick `at`. Ticks of a link must not decrease.
  void deliver(std::uint32_t link, const Request& packet, Tick at);
  void wake(Tick now) override;

  bool idle() const { return waiting_ == 0; }
  const std::string& name() const { return name_; }
  std::uint64_t packets() const { return packets_; }
  std::uint64_t bytes() const { return bytes_; }
  Tick busy() const { return limited_ ? server_.duration(bytes_) : 0; }
  void report(Counters& out) const {
    out.count("packets", packets_, "that passed");
    out.bytes("bytes", bytes_, "that passed");
    out.time("busy", busy(), "it serves packets at its rate");
  }

 private:
  struct Arriving {
    Request request;
    Tick at;
  };
  struct Input {
    std::uint32_t link;
    RingBuffer<Arriving> arriving{16};
  };
  Input* next_input(Tick now);

  std::string name_;
  bool limited_;
  Serialiser server_;
  Tick latency_;
  PassageClient& client_;
  Scheduler* scheduler_ = nullptr;
  std::vector<Input> inputs_;
  unsigned turn_ = 0;
  std::uint64_t waiting_ = 0, packets_ = 0, bytes_ = 0;
};

}  // namespace t3sim
