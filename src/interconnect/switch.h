// A switch with a port a GPU.
//
//   GPU 0 --> queue, a buffer of its own --\                                     receive buffer of
//   GPU 1 --> queue, a buffer of its own ---+--> in turn, serialise --> latency --> GPU g
//   sums of the reduction table ------------/         ^
//   <-- credits a queue                               '-- credits of GPU g
//
// Each output has a queue for each input, with credits at the GPU that sends: a GPU that takes nothing holds
// up packets to itself only. Packets are cut through: an idle switch adds nothing to the link's latency, half
// of which lies before it and half behind.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/ring_buffer.h"
#include "interconnect/outbox.h"
#include "interconnect/reduction_table.h"
#include "interconnect/serialiser.h"
#include "interconnect/topology.h"
#include "interconnect/wire.h"
#include "sim/scheduler.h"
#include "sim/stats.h"

namespace t3sim {

struct SwitchStats {
  std::uint64_t packets = 0, bytes = 0;  // sent
  std::uint64_t received_bytes = 0;
  std::uint64_t wire_bytes = 0;  // sent, with headers
  Tick wait_credit = 0;          // had something to send, but the GPU's buffer was full
  std::uint64_t peak_bytes = 0;  // in the queues
};

// One output of a switch: the way to one GPU.
class SwitchOutput final : public Component {
 public:
  // `to`: the GPU's way in; `before`, `behind`: latency to the GPUs that send and to this one, in
  // ticks. `table`: null without reduction.
  SwitchOutput(const LinkConfig& config, const WayIn& to, Tick before, Tick behind, std::uint32_t gpus,
               std::uint16_t gpu, const TimeBase& time, Scheduler& scheduler, ReductionTable* table);

  // A packet from GPU request.source. Ticks of packets from one GPU must not decrease.
  void deliver(const Request& request, Tick at);
  // `bytes` of the GPU's buffer are free again from tick `at` on.
  void credit(std::uint32_t bytes, Tick at);
  // Packets to the GPU; credits to those that send.
  Outbox& outbox() { return outbox_; }

  void wake(Tick now) override;
  bool idle() const { return under_way_ == 0; }
  std::string describe_waiting() const;
  // Something waits here for room in the GPU's buffer.
  bool starved() const { return starved_since_ != kNever; }
  std::uint64_t credits() const { return credits_; }
  const SwitchStats& stats() const { return stats_; }
  Tick busy() const { return wire_.duration(stats_.wire_bytes); }

 private:
  struct Arriving {
    Request request;
    Tick at;
  };
  struct Input {
    RingBuffer<Arriving> arriving{16};
    RingBuffer<Request> arrived{16};
  };
  struct Returning {
    Tick at;
    std::uint32_t bytes;
  };

  void arrive(Input& input, Tick now);
  bool reduce(Request& packet, Tick now);
  RingBuffer<Request>* next_queue();
  void send(RingBuffer<Request>& from, Tick now);
  void give_back(const Request& packet, Tick at);

  PacketOverhead overhead_;
  Tick before_, behind_;
  std::uint16_t gpu_;
  Scheduler& scheduler_;
  ReductionTable* table_;
  std::vector<Input> inputs_;  // by distance of the GPU, so that turns are alike for all
  RingBuffer<Request> sums_;   // complete, still in the table
  RingBuffer<Returning> returning_;
  std::uint64_t credits_;
  unsigned turn_ = 0;  // inputs, then sums
  Serialiser wire_;
  std::uint64_t under_way_ = 0;  // packets delivered, neither sent nor in the table
  std::uint64_t queued_bytes_ = 0;
  Tick starved_since_ = kNever;
  Outbox outbox_;
  SwitchStats stats_;
};

class Switch {
 public:
  // `to`: the way into each GPU that has an output (one for all with gpus.model: mirror). `expected`: for
  // reduction. `functional`: packets carry values.
  Switch(const TopologyConfig& config, std::uint32_t gpus, const std::vector<WayIn>& to, const TimeBase& time,
         UpdatesExpected expected, bool functional);

  Scheduler& scheduler() { return scheduler_; }
  std::size_t outputs() const { return outputs_.size(); }
  SwitchOutput& output(std::size_t gpu) { return *outputs_[gpu]; }
  PayloadPool& pool() { return pool_; }
  bool idle() const;
  // Bytes of packets to a GPU that have come and not left: at the end of a run, those that were added to
  // others.
  std::uint64_t absorbed_bytes(std::size_t gpu) const {
    return outputs_[gpu]->stats().received_bytes - outputs_[gpu]->stats().bytes;
  }
  std::string describe_waiting() const;
  // f(gpu, tile, updates missing) for sums in the making, a tile once, in order.
  template <class F>
  void for_each_waiting_tile(F&& f) const {
    if (table_) table_->for_each_waiting_tile(f);
  }
  const SwitchOutput& output(std::size_t gpu) const { return *outputs_[gpu]; }
  // Grows with everything that moves.
  std::uint64_t moves() const;
  // Counters of the output to a GPU; those of the table with the first.
  void visit(std::size_t gpu, StatsSink& sink, const TimeBase& time) const;

 private:
  Scheduler scheduler_;
  PayloadPool pool_;
  std::unique_ptr<ReductionTable> table_;
  std::vector<std::unique_ptr<SwitchOutput>> outputs_;
};

}  // namespace t3sim
