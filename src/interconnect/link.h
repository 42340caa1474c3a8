// Links between GPUs: serialisation at the link's bandwidth, latency, and credits for the receiver's buffer.
//
//   stores (remote_map) --\                                        /--> channel queue --> memory controller 0
//                          >-- serialise --> latency --> receive --<--> channel queue --> memory controller 1
//   DMA -------------------/      ^                                \--> ...      |
//                                 '----------- credits (with the link's latency) '
//
// Nothing crosses between GPUs in zero time: what a GPU sends is put in its Outbox with the tick at which the
// other end sees it, and carried over by whoever steps the GPUs (system/node.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "interconnect/remote_port.h"
#include "memctrl/address_map.h"
#include "memctrl/channel.h"
#include "sim/ring_buffer.h"
#include "sim/scheduler.h"

namespace t3sim {

struct LinkConfig {
  std::uint64_t bandwidth_Bps = 75'000'000'000;  // in each direction
  std::uint64_t latency_ps = 500'000;
  std::uint64_t buffer_bytes = 256 << 10;  // at the receiver: the sender's credits
  std::uint64_t header_bytes = 0;          // that each packet of up to 128 bytes adds on the wire
  std::uint64_t store_queue = 64;          // remote stores waiting to be sent
};

// What leaves a GPU: packets downstream, credits upstream.
struct Outbox {
  struct Packet {
    Tick at;  // when its last byte is at the other end
    Request request;
  };
  struct Credit {
    Tick at;
    std::uint32_t bytes;
  };
  std::vector<Packet> packets;
  std::vector<Credit> credits;
};

struct LinkStats {
  std::uint64_t packets = 0, bytes = 0;
  Tick busy = 0;
  Tick wait_credit = 0;  // had something to send, but the receiver's buffer was full
  std::uint64_t peak_receive_bytes = 0;
};

class LinkEgress : public Component, public RemotePort {
 public:
  // `dma_sent` is told when a DMA packet has left, so that its buffer is free again; `store_sent` when a
  // store has.
  LinkEgress(const LinkConfig& config, const TimeBase& time, Scheduler& scheduler, Outbox& outbox,
             std::function<void(Tick)> dma_sent, std::function<void(Tick)> store_sent, Tick series_interval);

  CreditedInput& store_input() override { return store_places_; }
  void push_store(const Request& request, Tick ready) override;
  // Room for DMA packets is the DMA engine's own buffer.
  void push_dma(const Request& request, Tick ready);
  // `bytes` of the receiver's buffer are free again from tick `at` on.
  void credit(std::uint32_t bytes, Tick at);

  void wake(Tick now) override;
  bool idle() const { return stores_.empty() && dma_.empty(); }
  std::string describe_waiting() const;
  const LinkStats& stats() const { return stats_; }
  const Series& series() const { return series_; }

 private:
  struct Waiting {
    Request request;
    Tick ready;
  };
  RingBuffer<Waiting>* choose(Tick now);
  void send(RingBuffer<Waiting>& from, Tick now);
  void occupy(Tick now, std::uint64_t bytes);

  LinkConfig config_;
  std::uint64_t ticks_per_second_;
  Tick latency_;
  Scheduler& scheduler_;
  Outbox& outbox_;
  std::function<void(Tick)> dma_sent_, store_sent_;
  CreditedInput store_places_;
  RingBuffer<Waiting> stores_, dma_;
  RingBuffer<Outbox::Credit> returning_;
  bool dma_turn_ = false;
  std::uint64_t credits_;
  Tick busy_until_ = 0;
  Tick burst_start_ = 0;           // start of the present run of packets without a gap
  std::uint64_t burst_bytes_ = 0;  // and what it has carried: no rounding error accumulates
  Tick starved_since_ = kNever;
  LinkStats stats_;
  Series series_;
};

// Takes plain writes from a link where they go to the L2 (l2.remote_writes) rather than to memory.
class RemoteWriteTarget {
 public:
  virtual ~RemoteWriteTarget() = default;
  virtual CreditedInput& write_input(std::uint64_t address) = 0;
  virtual void push_write(const Request& request, Tick ready) = 0;
};

class LinkIngress : public Component {
 public:
  LinkIngress(const LinkConfig& config, const TimeBase& time, Scheduler& scheduler, const AddressMap& map,
              std::vector<Channel*> channels, unsigned communication_port, Outbox& outbox);
  // From now on plain writes go there; updates still go to memory.
  void send_writes_to(RemoteWriteTarget& target) { writes_ = &target; }

  void deliver(const Request& request, Tick at);
  void channel_free(unsigned channel, Tick now);

  void wake(Tick now) override;
  bool idle() const { return queued_ == 0 && arriving_.empty(); }
  std::string describe_waiting() const;
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t peak_bytes() const { return peak_bytes_; }

 private:
  struct Arriving {
    Request request;
    Tick at;
  };
  // A queue of packets for one channel, or the slices before it.
  struct Queue : public Sender {
    Queue(LinkIngress& link, unsigned number) : ingress(link), channel(number), packets(16) {}
    void granted(Tick now) override { ingress.place_granted(*this, now); }
    LinkIngress& ingress;
    unsigned channel;
    RingBuffer<Request> packets;
    bool waiting = false;        // for a place in a slice's queue
    bool granted_place = false;  // of the first packet
  };
  void drain(unsigned channel, Tick now);
  bool hand_over(Queue& queue, Tick now);
  void place_granted(Queue& queue, Tick now);

  LinkConfig config_;
  Tick latency_;
  Scheduler& scheduler_;
  const AddressMap& map_;
  std::vector<Channel*> channels_;
  unsigned port_;
  Outbox& outbox_;
  RingBuffer<Arriving> arriving_;
  std::vector<std::unique_ptr<Queue>> queues_;  // by channel: a busy one does not hold up the others
  RemoteWriteTarget* writes_ = nullptr;
  std::vector<std::uint8_t> retry_;
  std::uint64_t queued_ = 0, buffered_bytes_ = 0, bytes_ = 0, peak_bytes_ = 0;
};

}  // namespace t3sim
