// The receiving end of all links of a GPU.
//
//   from GPU a --> arrived --\                                  /--> channel queue --> memory controller 0
//   from GPU b --> arrived ---+--> (the port that they share) -<---> channel queue --> memory controller 1
//                                                               \--> ...      |
//   to GPU a, b  <-------------- credits (with the link's latency) -----------'
//
// Links of their own are limited at their other end: their packets go straight to the channel queues. Packets
// that come in by a shared port follow each other there, GPUs in turn. Each link has a buffer of its own,
// from arrival until the packet is handed on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/ring_buffer.h"
#include "interconnect/link_wiring.h"
#include "interconnect/serialiser.h"
#include "interconnect/topology.h"
#include "interconnect/wire.h"
#include "memctrl/address_map.h"
#include "memctrl/channel.h"
#include "sim/credited_input.h"
#include "sim/scheduler.h"
#include "sim/stats.h"
#include "sim/waiting.h"

namespace t3sim {

// Takes plain writes from a link where they go to the L2 (l2.remote_writes) rather than to memory.
class RemoteWriteTarget {
 public:
  virtual ~RemoteWriteTarget() = default;
  virtual CreditedInput& write_input(std::uint64_t address) = 0;
  virtual void push_write(const Request& request, Tick ready) = 0;
};

struct IngressStats {
  std::uint64_t bytes = 0;
  std::uint64_t peak_bytes = 0;   // in all buffers together
  std::uint64_t memory_wait = 0;  // bytes x ticks that packets waited for a memory controller or L2 slice

  void report(Counters& out) const {
    out.bytes("bytes", bytes, "received");
    out.bytes("peak_buffer", peak_bytes, "held at most, in all receive buffers together");
  }
};

// The memory that packets go to: a port of each channel.
struct MemoryPorts {
  const AddressMap& map;
  std::vector<Channel*> channels;
  unsigned port;  // of communication
};

class LinkIngress final : public Component {
 public:
  LinkIngress(const LinkConfig& config, const std::vector<WayIn>& ways, const LinkWiring& wiring,
              MemoryPorts memory);
  // From now on plain writes go there; updates still go to memory.
  void send_writes_to(RemoteWriteTarget& target) { writes_ = &target; }

  // A packet from GPU request.source. Ticks of packets from one GPU must not decrease.
  void deliver(const Request& request, Tick at);
  void channel_free(unsigned channel, Tick now);

  void wake(Tick now) override;
  bool idle() const { return under_way_ == 0; }
  std::string describe_waiting() const;
  // As "link.in". `from` GPUs' packets that have been delivered and not handed on: holds().
  void report_waits(GpuWaits& waits) const;
  bool holds(std::uint16_t from) const;
  const IngressStats& stats() const { return stats_; }
  // f(name, ticks that its shared port was busy) for each way in that has one.
  template <class F>
  void for_each_shared_port(F&& f) const {
    for (const Way& way : ways_)
      if (way.shared) f(way.name, way.port.duration(way.wire_bytes));
  }

 private:
  struct Arriving {
    Request request;
    Tick at;
  };
  // From one GPU, or from the switch.
  struct Lane {
    std::uint16_t gpu;
    RingBuffer<Arriving> arriving{64};
    RingBuffer<Request> arrived{1};  // wait for the shared port
  };
  struct Way {
    std::string name;
    bool shared;
    Serialiser port;
    std::vector<Lane> lanes;
    unsigned turn = 0;
    bool passing = false;  // `passes` is under way through the port until port.until()
    Request passes;
    std::uint64_t wire_bytes = 0;
  };
  // A queue of packets for one channel, or the slices before it.
  struct Queue final : public Sender {
    Queue(LinkIngress& link, unsigned number) : ingress(link), channel(number), packets(16) {}
    void granted(Tick now) override { ingress.place_granted(*this, now); }
    LinkIngress& ingress;
    unsigned channel;
    RingBuffer<Request> packets;
    bool waiting = false;        // for a place in a slice's queue
    bool granted_place = false;  // of the first packet
  };
  // Where packets of a GPU come in.
  struct Place {
    std::uint16_t way = 0, lane = 0;
    Tick latency = 0;  // of credits on their way back
  };

  void arrive(Way& way, Tick now);
  void pass_through_port(Way& way, Tick now);
  Lane* next_lane(Way& way);
  void accept(const Request& request, Tick now);
  void drain(unsigned channel, Tick now);
  bool hand_over(Queue& queue, Tick now);
  void place_granted(Queue& queue, Tick now);

  PacketOverhead overhead_;
  Scheduler& scheduler_;
  const AddressMap& map_;
  std::vector<Channel*> channels_;
  unsigned port_;
  Outbox& outbox_;
  std::vector<Way> ways_;
  std::vector<Place> places_;                   // by GPU
  std::vector<std::unique_ptr<Queue>> queues_;  // by channel: a busy one does not hold up the others
  RemoteWriteTarget* writes_ = nullptr;
  std::vector<std::uint8_t> retry_;
  std::uint64_t under_way_ = 0;       // packets delivered and not handed on
  std::uint64_t queued_ = 0;          // of these, in channel queues
  std::uint64_t buffered_bytes_ = 0;  // of packets that have arrived
  IngressStats stats_;
};

}  // namespace t3sim
