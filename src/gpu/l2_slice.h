// One L2 slice: sectored, write-back, MSHRs that merge, uncached stores that pass by (section 4.3,
// "uncached").
//
//   CUs --(network)--> input queue --> tags --> hit: reply
//                                          \--> miss: MSHR --> memory controller --> fill --> replies
// The input queue is served in order: a request that finds the queue to DRAM full, no MSHR or no line to
// replace holds up those behind it. That is how DRAM contention becomes time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gpu/config.h"
#include "gpu/l2_stats.h"
#include "gpu/sector_cache.h"
#include "memctrl/channel.h"
#include "nmc/functional_memory.h"
#include "sim/credited_input.h"
#include "sim/scheduler.h"
#include "sim/waiting.h"

namespace t3sim {

// Where replies go: the CU that sent the request.
class ReplySink {
 public:
  virtual ~ReplySink() = default;
  // The last byte of the reply leaves the slice at tick `out`.
  virtual void reply(const Request& request, Tick out) = 0;
};

// Told when a store is where later reads will see it: in the L2 or in the memory controller's port.
class StoreListener {
 public:
  virtual ~StoreListener() = default;
  virtual void store_accepted(const Request& request, Tick now) = 0;
};

// What a slice holds, to be carried from one kernel to the next (KernelBoundary::keep).
struct L2Contents {
  SectorCache cache;
  std::vector<Traffic> traffic_of;  // by cache entry: who wrote it
};

// What a kernel has left dirty in a slice, as writes (KernelBoundary::flush).
using DirtyLines = std::vector<Request>;

// Tracked output is uncached (section 4.3): such stores go to memory past the L2.
inline bool passes_l2(const Request& r) { return r.tracked || r.uncached || r.op == Op::update; }
// At memory: the L2 hands over what it held dirty. No kernel waits for that.
inline bool is_write_back(const Request& r) {
  return r.op == Op::write && r.stream == Stream::compute && !r.remote && !passes_l2(r);
}

// What a slice is connected to; all of it outlives the slice.
struct SliceWiring {
  Clock core;
  Scheduler& scheduler;
  Channel& channel;
  unsigned port;                         // of the channel
  const std::vector<ReplySink*>& sinks;  // sinks[request.source] gets the replies
  StoreListener& listener;
  PayloadPool* pool;  // null outside functional mode
};

class L2Slice : public Component {
 public:
  // `skip_bits`: low bits of the line number that are the same for all lines of this slice.
  L2Slice(const L2Config& config, std::uint16_t index, unsigned skip_bits, const SliceWiring& wiring);

  // A sender takes a place in input() before it pushes.
  CreditedInput& input() { return places_; }
  void push(const Request& request, Tick ready);

  void read_done(const Request& request, Tick data_end);  // from the memory controller
  void channel_free(Tick now);                            // its port has room again
  // Writes back all dirty lines, then forgets everything: a kernel boundary after which nothing runs.
  void flush(Tick now);
  // The same where another kernel follows: what this one leaves dirty, and its writing back, a line a cycle,
  // while the next one is launched and runs.
  DirtyLines dirty_lines() const;
  void write_back_from(DirtyLines lines, Tick start);
  // A write over a link has gone to memory past this slice.
  void drop(const Request& request);
  // The contents at the end of a phase, and at the start of the next.
  L2Contents take_contents();
  void set_contents(L2Contents contents);

  void wake(Tick now) override;
  bool idle() const;
  std::string describe_waiting() const;
  std::string name() const;
  void report_waits(GpuWaits& waits) const;
  const L2Stats& stats() const { return stats_; }

 private:
  struct Arrived {
    Request request;
    Tick ready;
  };
  struct Mshr {
    std::uint32_t entry = 0;
    std::uint32_t waiters = kEnd;  // list, in order of arrival
    std::uint32_t last = kEnd;
    std::array<std::uint16_t, 4> waiting{};  // requests, by sector
    std::uint8_t pending = 0;                // sectors on their way
  };
  struct Waiter {
    Request request;
    std::uint32_t next = kEnd;
  };
  static constexpr std::uint32_t kEnd = ~std::uint32_t{0};
  enum class Outcome { served, wait_channel, wait_fill };

  Outcome serve(const Request& request, Tick now);
  Outcome serve_bypass(const Request& request, Tick now);
  Outcome serve_store(const Request& request, Tick now);
  Outcome serve_read(const Request& request, Tick now);
  Outcome allocate(std::uint32_t line, std::uint32_t& entry, Tick now);
  Outcome miss(const Request& request, std::uint32_t entry, Tick now);
  bool write_back(std::uint32_t entry, Tick now);
  void fill(const Request& request, Tick now);
  void reply(const Request& request, std::uint32_t entry, Tick now);
  void add_waiter(Mshr& mshr, const Request& request);
  bool may_merge(const Mshr& mshr, std::uint8_t sectors) const;
  void serve_input(Tick now);
  void continue_flush(Tick now);
  void continue_leftovers(Tick now);
  void push_to_channel(const Request& request, Tick now);
  Request write_of(std::uint32_t entry) const;
  // From `from` on the data port is taken by the request's data.
  void transfer(const Request& request, Tick from);
  void store_payload(std::uint32_t entry, const Request& request, std::uint8_t sectors);

  const L2Config& config_;
  std::uint16_t index_;
  Clock core_;
  Scheduler& scheduler_;
  Channel& channel_;
  unsigned port_;
  const std::vector<ReplySink*>& sinks_;
  StoreListener& listener_;
  PayloadPool* pool_;

  SectorCache cache_;
  CreditedInput places_;
  RingBuffer<Arrived> input_;
  RingBuffer<Arrived> fills_;
  std::vector<std::uint16_t> mshr_of_;     // by cache entry; kNoMshr if none
  std::vector<Traffic> traffic_of_;        // by cache entry: who wrote it
  std::vector<std::uint32_t> payload_of_;  // functional mode: values of a line, by cache entry
  std::vector<Mshr> mshrs_;
  std::vector<std::uint16_t> free_mshrs_;
  std::vector<Waiter> waiters_;
  std::uint32_t free_waiter_ = kEnd;

  Tick busy_until_ = 0;  // data port
  Tick held_since_ = kNever;
  Outcome held_by_ = Outcome::served;
  bool flushing_ = false;
  std::uint32_t flush_next_ = 0;
  DirtyLines leftovers_;  // of the kernel before
  std::size_t leftover_next_ = 0;
  Tick leftovers_not_before_ = 0;
  bool leftovers_turn_ = false;  // at the port to memory
  L2Stats stats_;
};

}  // namespace t3sim
