// The sending end of a link or port: serialisation at its bandwidth, latency, and for each GPU that it leads
// to queues of its own. Credits are a channel's of the link: where each GPU has one of its own, a GPU that takes
// nothing holds up no other.
//
//   to GPU a: stores (remote_map) + DMA --\                                       /--> GPU a
//   to GPU b: stores (remote_map) + DMA ---+--> in turn, serialise --> latency --<
//                                          ^                                      \--> GPU b
//                                          '---- credits (with the link's latency) '
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/ring_buffer.h"
#include "interconnect/link_account.h"
#include "interconnect/link_wiring.h"
#include "interconnect/remote_port.h"
#include "interconnect/serialiser.h"
#include "interconnect/topology.h"
#include "interconnect/wire.h"
#include "sim/busy_intervals.h"
#include "sim/scheduler.h"
#include "sim/stats.h"

namespace t3sim {

struct LinkStats {
  std::uint64_t packets = 0, bytes = 0;
  Tick busy = 0;
  Tick wait_credit = 0;            // had something to send, but only to GPUs whose buffer was full
  std::uint64_t credit_ticks = 0;  // bytes x ticks from being sent until their credit was back

  void report(Counters& out) const {
    out.count("packets", packets, "sent");
    out.bytes("bytes", bytes, "sent, without headers");
    out.time("busy", busy, "the port sends");
    out.time("wait_credit", wait_credit, "something is to be sent, but only to GPUs whose buffer is full");
  }
};

// Told when a packet has left, so that its buffer is free again.
struct EgressListener {
  std::function<void(const Request&, Tick)> dma_sent, store_sent;
};

class LinkEgress final : public Component {
 public:
  // What waits for one of the GPUs of `port`, by its place in the list.
  using Lane = unsigned;

  LinkEgress(const LinkConfig& config, const PortSpec& port, const LinkWiring& wiring,
             EgressListener listener);

  CreditedInput& store_input(Lane lane) { return lanes_[lane]->store_places; }
  void push_store(Lane lane, const Request& request, Tick ready);
  // Room for DMA packets is the DMA engine's own buffer.
  void push_dma(Lane lane, const Request& request, Tick ready);
  // What goes out besides packets: on a wire that is idle it costs nothing, on a busy one the next packet follows it.
  void send_along(std::uint64_t bytes, Tick now) {
    if (wire_.until() > now) along_ += bytes;
  }
  // `bytes` of the buffer that the packets go to are free again from tick `at` on.
  void credit(Lane lane, std::uint32_t bytes, Tick at);

  void wake(Tick now) override;
  bool idle() const { return waiting_ == 0; }
  std::string describe_waiting() const;
  // What waits for a GPU of the port; credits in bytes.
  struct Held {
    std::size_t stores, dma;
    std::uint64_t credits;
  };
  Held held(Lane lane) const;
  std::string lane_name(Lane lane) const;
  const std::string& name() const { return port_.name; }
  const LinkStats& stats() const { return stats_; }
  LinkAccount& account() { return account_; }
  const Series& series() const { return series_; }
  // Ticks that the port was busy, over time.
  const Series& busy_series() const { return busy_series_; }
  // When it sent to a GPU of the port, and how many bytes.
  const BusyIntervals& sending(Lane lane) const { return lanes_[lane]->sending; }
  const std::vector<std::uint16_t>& gpus() const { return port_.gpus; }

 private:
  struct Waiting {
    Request request;
    Tick ready;
  };
  struct Returning {
    Tick at;
    std::uint32_t bytes;
  };
  // Room in the buffer of a channel.
  struct Pool {
    explicit Pool(std::uint64_t buffer_bytes) : credits(buffer_bytes), returning(16) {}
    std::uint64_t credits;
    RingBuffer<Returning> returning;  // earliest first
  };
  struct Queues {
    Queues(std::uint64_t store_queue, Tick gap)
        : store_places(store_queue), stores(16), dma(16), sending(gap) {}
    CreditedInput store_places;
    RingBuffer<Waiting> stores, dma;
    Pool* pool = nullptr;
    bool dma_turn = false;
    BusyIntervals sending;
  };
  static RingBuffer<Waiting>* ready_queue(Queues& lane, Tick now);
  static void collect_credits(Pool& pool, Tick now);
  void add_lanes(const LinkConfig& config);
  bool send_next(Tick now);
  void send(Queues& lane, RingBuffer<Waiting>& from, Tick now);

  PacketOverhead overhead_;
  PortSpec port_;
  Tick latency_;
  Scheduler& scheduler_;
  Outbox& outbox_;
  EgressListener listener_;
  std::vector<std::unique_ptr<Pool>> pools_;  // by channel, or by lane
  std::vector<std::unique_ptr<Queues>> lanes_;
  unsigned turn_ = 0;
  std::uint64_t waiting_ = 0;  // packets in all queues
  Serialiser wire_;
  std::uint64_t along_ = 0;  // bytes
  Tick starved_since_ = kNever;
  LinkStats stats_;
  LinkAccount account_;
  Series series_, busy_series_;
};

}  // namespace t3sim
