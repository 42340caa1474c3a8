// One memory controller and its HBM channel (Figure 8, "MC"; Table 1; sections 4.3 and 4.5).
//
//   compute ports (one an L2 slice) --+
//                                     +--> arbitration policy --> DRAM queue --> banks
//   communication port (DMA, links) --+
//
// The policy moves one request a memory cycle from the ports into the DRAM queue; the queue schedules
// commands (FR-FCFS) under the bank timing. All sizes count bursts (of memory.burst bytes, 32 on the paper's
// machine).
//
// Atomics (memory.reduction: atomic; section 7.4): an update reads its sectors, has them added up at the L2
// and writes them back: two accesses and `atomic_cycles` between them, in one slot. Later requests to its
// line are held until the write is in the DRAM queue, which keeps the order from there on. So nothing comes
// between the two, and the Tracker may count an update when it gets its slot, as it counts any other: the
// DMA's read that this triggers is held, or queued behind the write, and sees the sum.
//
// Latency: a request that is ready at a memory edge enters the queue at that edge and takes its first command
// at the next one. So an unloaded read takes 1 + CL + burst cycles in an open row, RCD more in a closed bank,
// and RP more again in a bank with another row open.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "memctrl/address_map.h"
#include "memctrl/arbitration.h"
#include "memctrl/channel_stats.h"
#include "memctrl/config.h"
#include "memctrl/dram_queue.h"
#include "memctrl/port.h"
#include "sim/level_integral.h"
#include "sim/request.h"
#include "sim/scheduler.h"
#include "sim/stats.h"
#include "sim/waiting.h"

namespace t3sim {

// What a channel tells the rest of the GPU. All calls are made from within the channel's wake(); the client
// may call can_accept(), push() and retry_parked() from within them, for later ticks.
class ChannelClient {
 public:
  virtual ~ChannelClient() = default;
  // Asked before a tracked request of the compute stream is enqueued; false parks it in the channel's
  // side queue (section 4.2.1: the Tracker's set is full). retry_parked() makes the channel ask again.
  // true is followed by enqueued() at once.
  virtual bool may_enqueue(const Request& request) = 0;
  // The request has entered the DRAM queue: where the Tracker counts it (section 4.2.1).
  virtual void enqueued(const Request& request, Tick now) = 0;
  // The last column command of a write or update has been issued, or the data of a read has been fetched, in
  // memory order: functional mode reads or changes the values here. May set request.payload of a read.
  virtual void performed(Request& request, Tick now) = 0;
  // All data of a read has left the DRAM at tick `at` (>= now).
  virtual void read_done(const Request& request, Tick at) = 0;
  // Port has room again after a can_accept() that said no. Compute ports are 0..P-1, communication is P.
  virtual void port_free(unsigned channel, unsigned port, Tick now) = 0;
};

// A word has a bit for each port, that of communication among them (Channel::visible_heads()). Addresses allow powers of two
// only.
inline constexpr unsigned kMaxSlicesPerChannel = 32;

// What a channel is connected to; all of it outlives the channel.
struct ChannelWiring {
  Clock clock;  // of the memory, in ticks
  Scheduler& scheduler;
  ChannelClient& client;
  const AddressMap& map;
  unsigned compute_ports;    // one for each L2 slice; behind them the port of communication
  Tick series_interval = 0;  // of the bytes over time, in ticks; 0 for none
};

class Channel final : public Component {
 public:
  // The caller adds the channel to the scheduler.
  Channel(const MemoryConfig& config, unsigned index, const ChannelWiring& wiring);

  unsigned communication_port() const { return compute_ports_; }

  // Room in the port's FIFO? After a no, the client gets one port_free() when there is room for this request.
  bool can_accept(unsigned port, const Request& request) { return can_accept(port, request.sectors); }
  bool can_accept(unsigned port, std::uint8_t sectors) {
    return ports_[port].accepts(bursts_of_[sectors & kFullLine]);
  }
  // Only after can_accept(). The request is seen at the first memory edge at or after `ready` that lies after
  // now.
  void push(unsigned port, const Request& request, Tick ready) {
    push(port, request, request.sectors, ready);
  }
  // The same for these sectors only. Returns the request, of which the caller may still change whose it is: a
  // copy of what it had just changed would wait for the host's store buffer.
  Request& push(unsigned port, const Request& request, std::uint8_t sectors, Tick ready);

  // The Tracker has room again: parked requests are offered again at the next memory edge.
  void retry_parked();

  // The producer kernel's life, for the arbitration policy.
  void kernel_started();
  void first_stage_done();
  void kernel_ended();

  // Nothing in ports, side queue or DRAM queue.
  bool idle() const;
  // What is where, for a deadlock report.
  std::string describe_waiting() const;
  std::string name() const;
  // Sets of the Tracker are named "tracker set n" (4.2.1: by the low 8 bits of the workgroup).
  void report_waits(GpuWaits& waits) const;
  // Grows with everything that moves.
  std::uint64_t moves() const;

  std::uint64_t bytes(Traffic traffic, Op op) const {
    return stats_.bytes[static_cast<int>(traffic)][static_cast<int>(op)];
  }
  const ChannelStats& stats() const { return stats_; }
  const DramQueueStats& queue_stats() const { return queue_.stats(); }
  const ArbitrationPolicy& policy() const { return *policy_; }
  // Bytes over time by cause.
  const Series& series(Traffic traffic, bool written) const {
    return stats_.series[static_cast<std::size_t>(traffic)][written];
  }
  // Bursts x ticks in the DRAM queue over time. Complete after settle().
  const Series& occupancy_series(Stream stream) const {
    return stats_.occupancy[static_cast<std::size_t>(stream)];
  }
  // Brings idle-time refreshes and occupancy sums up to `end`, then names every counter.
  void report(StatsSink& sink, std::string_view component, Tick end);

  // Counts there, from now on, the ports that are blocked by stores which may_enqueue() has refused.
  void count_blocked(LevelIntegral& ports) { blocked_ = &ports; }
  // Sees every command from now on; nullptr ends it.
  void observe(CommandObserver* observer) { queue_.observe(observer); }
  // Issues the refreshes that an idle channel has not yet been asked for.
  void settle(Tick end);

  void wake(Tick now) override;

 private:
  enum class Stage : std::uint8_t {
    held,      // waits for an atomic update of its line
    fetching,  // atomic update: its read is in the DRAM queue
    adding,    // atomic update: waits for the sum, then for room
    queued     // in the DRAM queue for the last time
  };
  // A request that has left its port.
  struct Slot {
    Request request;
    Tick ready = 0;
    Tick entered = 0;
    std::uint64_t order = 0;
    Tick data_end = 0;
    Tick resume_at = 0;       // held, adding: not before
    std::uint8_t pieces = 0;  // entries of the DRAM queue not yet finished
    bool several = false;     // entered as more than one
    bool busy = false;
    Stage stage = Stage::queued;
  };

  void wake_at(Tick at);
  void account(Tick now);
  std::uint64_t visible_heads(Tick now) const;
  // One request into the DRAM queue, if the policy has one and there is room; true if so.
  bool admit(Tick now);
  bool admit_from(Stream stream, std::uint64_t visible, Tick now);
  bool admit_parked(Tick now);
  bool admit_port(unsigned port, Tick now);
  void block(Port& port, Tick now);
  void unblock_ports(Tick now);
  bool fits(Op op, unsigned bursts);
  bool must_park(const Request& request);
  bool line_is_parked(std::uint64_t address, std::size_t before) const;
  std::uint16_t fill_slot(const PortEntry& entry, Tick now);
  void enter(std::uint16_t slot, Tick now);
  void enter_pieces(std::uint16_t slot, Op op, Tick now);
  // channel_atomics.cpp
  bool is_atomic(const Request& request) const { return atomic_ && request.op == Op::update; }
  Op first_access(Op op) const { return atomic_ && op == Op::update ? Op::read : op; }
  void begin(std::uint16_t slot, Tick now);
  void hold(std::uint16_t slot, Tick at);
  bool line_is_changing(const Slot& slot) const;
  void fetched(std::uint16_t slot, Tick now);
  // One request that was held, or an update's write, into the DRAM queue; true if one has entered.
  bool resume(Tick now);
  Tick next_resume(Tick now) const;
  void drop_head(unsigned port, Tick now);
  Tick next_admission(Tick now);

  void finish_piece(const DramQueue::Finished& finished, Tick now);
  void complete(std::uint16_t slot, Tick now);
  bool older_in_line(const Slot& slot) const;
  void complete_in_line_order(Tick now);

  // What most wake-ups look at lies together, a line of the host's caches each.
  Tick due_ = kNever;  // nothing can happen before
  Tick accounted_until_ = 0;
  Tick heads_at_ = 0;  // no head of a port can be seen before, and no parked store is offered again
  bool waking_ = false;
  bool heads_moved_ = false;  // some port has a new head since this wake began
  bool retry_parked_ = false;
  unsigned closed_lanes_ = 0;  // in this cycle, some request found no room there
  unsigned turn_ = 0;          // compute port that is asked first
  const unsigned compute_ports_;

  const Clock clock_;
  Scheduler& scheduler_;
  std::unique_ptr<ArbitrationPolicy> policy_;
  std::vector<std::uint16_t> held_;  // slots in the stages held and adding, since when they are
  std::vector<Port> ports_;          // compute ports, then communication
  ChannelStats stats_;
  DramQueue queue_;

  // What requests look at that come and go.
  ChannelClient& client_;
  const AddressMap& map_;
  std::vector<Slot> slots_;
  std::vector<std::uint16_t> free_slots_;
  std::uint64_t next_order_ = 0;
  unsigned in_several_pieces_ = 0;  // slots
  unsigned unsettled_ = 0;          // slots not yet `queued`
  std::vector<PortEntry> parked_;
  const unsigned index_;
  const std::uint32_t burst_bytes_;
  const std::uint32_t burst_cycles_;
  const std::size_t parked_capacity_;
  const bool atomic_;
  const Tick atomic_ticks_;
  std::uint8_t burst_mask_of_[16];  // sector mask -> mask of the line's bursts
  std::uint8_t bursts_of_[16];

  Tick kernel_start_ = 0;
  std::uint64_t kernel_start_occupancy_ = 0;
  LevelIntegral* blocked_ = nullptr;
};

}  // namespace t3sim
