// The near end of a link out of a switch, card or host.
//
//   link a --> queue a channel --\                                      buffer at the far end:
//   link b --> queue a channel ---+--> in turn, serialise --> latency --> a GPU or the next switch
//   sums of the reduction table -/         ^
//   <-- credits a channel                  '-- credits a channel
//
// Each link in has a queue for each channel of this link, whose places are credits of that link's near end: what
// waits for one channel holds up no other. Packets are cut through: an idle switch adds nothing to the latency
// of its links, and a packet's serialisation counts once on a way without a card or memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ring_buffer.h"
#include "interconnect/outbox.h"
#include "interconnect/reduction_table.h"
#include "interconnect/serialiser.h"
#include "interconnect/wire.h"
#include "sim/busy_intervals.h"
#include "sim/scheduler.h"
#include "sim/stats.h"

namespace t3sim {

struct OutputStats {
  std::uint64_t packets = 0, bytes = 0;  // sent
  std::uint64_t received_bytes = 0;
  std::uint64_t wire_bytes = 0;  // sent, with headers
  Tick wait_credit = 0;          // had something to send, but the buffer of the far end was full
  std::uint64_t peak_bytes = 0;  // in the queues
};

// What an output needs to know of its link.
struct OutputSetup {
  std::string vertex, target;  // as reports call them
  std::uint64_t bandwidth_Bps = 0;
  Tick latency = 0;
  std::uint64_t buffer_bytes = 0;
  std::uint32_t channels = 1;
  std::uint32_t inputs = 0;  // links into the vertex, in the order of their turns
  std::uint32_t link = 0;
  PacketOverhead overhead;
};

// Where a packet that leaves goes on, and whose place it leaves.
class OutputClient {
 public:
  virtual ~OutputClient() = default;
  // All of it has left; its last byte is at the far end at tick `at`.
  virtual void sent(std::uint32_t link, const Request& packet, Tick at) = 0;
  // Its place in the buffer of the link that it came over is free from tick `from` on.
  virtual void left(std::uint32_t link, const Request& packet, Tick from) = 0;
};

class LinkOutput final : public Component {
 public:
  // `link`: its number in the graph. `table`: null without reduction.
  LinkOutput(const OutputSetup& setup, const TimeBase& time, OutputClient& client, ReductionTable* table);
  // Before anything else. The scheduler must outlive the output.
  void attach(Scheduler& scheduler);

  // A packet for a channel, whose last byte could leave at tick `at`. Packets of an input keep their order.
  void deliver(std::uint32_t input, std::uint32_t channel, const Request& request, Tick at);
  // `bytes` of a channel's buffer at the far end are free again from tick `at` on.
  void credit(std::uint32_t channel, std::uint32_t bytes, Tick at);

  void wake(Tick now) override;
  bool idle() const { return under_way_ == 0; }
  std::string describe_waiting() const;
  const std::string& vertex() const { return setup_.vertex; }
  std::uint32_t link() const { return setup_.link; }
  std::uint64_t credits(std::uint32_t channel) const { return channels_[channel].credits; }
  const OutputStats& stats() const { return stats_; }
  Tick busy() const { return wire_.duration(stats_.wire_bytes); }
  void report(Counters& out) const;
  // When it sent, and how many bytes.
  const BusyIntervals& sending() const { return sending_; }
  // Packets that wait here for a channel, and room for the first of them.
  std::size_t waiting(std::uint32_t channel) const;
  bool has_room(std::uint32_t channel) const;
  std::uint32_t channels() const { return setup_.channels; }
  // A packet from this input waits here.
  bool holds(std::uint32_t input) const;

 private:
  struct Arriving {
    Request request;
    std::uint32_t channel;
    Tick at;
  };
  struct Returning {
    Tick at;
    std::uint32_t bytes;
  };
  struct Channel {
    std::uint64_t credits = 0;
    std::vector<Returning> returning;         // a heap, earliest first
    std::vector<RingBuffer<Request>> queues;  // by input; then sums, which are still in the table
    unsigned turn = 0;
  };

  void arrive(std::uint32_t input, Tick now);
  bool reduce(Request& packet, std::uint32_t channel, Tick now);
  static void collect_credits(Channel& channel, Tick now);
  // The queue of the channel whose turn it is, among those that have a packet; null if none has.
  static RingBuffer<Request>* next_queue(Channel& channel);
  bool send_next(Tick now);
  void send(Channel& channel, RingBuffer<Request>& from, Tick now);

  OutputSetup setup_;
  OutputClient& client_;
  ReductionTable* table_;
  Scheduler* scheduler_ = nullptr;
  std::vector<RingBuffer<Arriving>> arriving_;  // by input
  std::vector<Channel> channels_;
  unsigned turn_ = 0;  // channels
  Serialiser wire_;
  std::uint64_t under_way_ = 0;  // packets delivered, neither sent nor in the table
  std::uint64_t queued_bytes_ = 0;
  Tick starved_since_ = kNever;
  BusyIntervals sending_;
  OutputStats stats_;
};

}  // namespace t3sim
