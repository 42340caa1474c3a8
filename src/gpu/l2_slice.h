// One L2 slice: sectored, write-back, MSHRs that merge, uncached stores that pass by (section 4.3,
// "uncached").
//
//   CUs --(network)--> input queue --> tags --> hit: reply
//                                          \--> miss: MSHR --> memory controller --> fill --> replies
// The input queue is served in order: a request that finds the queue to DRAM full, no MSHR or no line to
// replace holds up those behind it. That is how DRAM contention becomes time.
//
// Of two partitions, a CU reaches the slices of its own one only. A line has its home in the slice at its
// memory channel; the slice of the other partition that stands in for it, its partner, keeps a copy of what
// CUs over there use:
//   CUs --> partner --> miss: --(partition_latency)--> home's queue for partners --> as above
// A store at the partner goes on to the home; any other store at the home makes the copy stale.
//
// A store may be an addition (Request::adds): the home adds it to what it has, or has fetched. A CU does not wait for that, but
// a slice holds only a few sectors of such requests while it fetches (gpu/l2_adds.cpp).
//
// Of several dies in front of a memory-side cache, a line has its home in that cache, in the slice at its memory channel,
// which copy engines and links reach too. Each die has a slice that stands in for it: eight dies, eight partners.
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
  PayloadPool* pool;           // null outside functional mode
  std::uint16_t cus = 0xFFFF;  // as many of the sinks, the first ones, are CUs
  bool memory_side = false;    // a slice of that cache
};

class alignas(64) L2Slice : public Component, public ReplySink {
 public:
  // `skip_bits`: low bits of the line number that are the same for all lines of this slice.
  L2Slice(const L2Config& config, std::uint16_t index, unsigned skip_bits, const SliceWiring& wiring);

  // Before the first request. This one stands in for `home`, where Request::far lines are, and is number `sink` among the
  // sinks of replies. All sinks between those of a home's partners are slices.
  void stand_in_for(L2Slice& home, std::uint16_t sink);

  // A sender takes a place in input() before it pushes.
  CreditedInput& input() { return places_; }
  // The way in is taken for `flits` cycles, from `now` on or when it is free; returns from when (OnChipNetwork::sectors).
  Tick enter(std::uint32_t flits, Tick now) {
    const Tick start = entry_free_ > now ? entry_free_ : now;
    entry_free_ = start + core_.cycles(flits);
    return start;
  }
  // The request, to be written, that is there at tick `ready`.
  Request& push(Tick ready) {
    if (input_.empty()) scheduler_.wake(*this, ready > busy_until_ ? ready : busy_until_);
    Arrived& place = input_.push_slot();
    place.ready = ready;
    return place.request;
  }
  void push(const Request& request, Tick ready) { push(ready) = request; }
  // A request will be pushed soon.
  [[gnu::always_inline]] void prefetch() const { input_.prefetch_end(); }

  void read_done(const Request& request, Tick data_end);  // from the memory controller
  void channel_free(Tick now);                            // its port has room again
  void reply(const Request& request, Tick out) override;  // from the home: what this slice has asked it for
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
  struct Passed {
    Arrived arrived;
    L2Slice* by;
  };
  // Sectors that have come from memory.
  struct Fill {
    Tick ready = 0;
    std::uint32_t entry = 0;
    std::uint32_t payload = kNoPayload;
    std::uint16_t mshr = 0;
    std::uint8_t sectors = 0;
  };
  struct Mshr {
    std::uint32_t entry = 0;
    std::uint32_t waiters = kEnd;  // list, in order of arrival
    std::uint32_t last = kEnd;
    std::uint8_t pending = 0;  // sectors on their way
    std::uint8_t stale = 0;    // of these, which the home has newer ones of already
    bool far = false;
    std::uint64_t waiting = 0;  // requests, by sector: 16 bits each
  };
  struct Waiter {
    Request request;
    std::uint32_t next = kEnd;
    bool joined = false;
  };
  // What is on its way to CUs.
  struct UnderWay {
    Tick until = 0;
    std::uint8_t sectors = 0;
    std::uint8_t coalescers = 0;  // that have asked
  };
  static constexpr std::uint32_t kEnd = ~std::uint32_t{0}, kNoSet = kEnd;
  static constexpr std::uint16_t kNoMshr = 0xFFFF;
  enum class Outcome : std::uint8_t { served, wait_channel, wait_fill, wait_partner };

  // `by`: the partner that it comes from; null: of a CU, a copy engine or a link.
  Outcome serve(const Request& request, Tick now, const L2Slice* by);
  Outcome serve_here(const Request& request, std::uint32_t set, Tick now,
                     const L2Slice* by);  // in line; `set` of its line
  Outcome serve_bypass(const Request& request, Tick now);
  Outcome serve_store(const Request& request, Tick now, const L2Slice* by);
  Outcome serve_read(const Request& request, std::uint32_t set, Tick now);
  Outcome serve_add(const Request& request, Tick now);
  bool may_hold(std::uint64_t sectors) const;
  void written(const Request& store, std::uint32_t entry, const L2Slice* by, Tick now);
  void finish_add(const Request& request, std::uint32_t entry, Tick now);
  Outcome allocate(std::uint32_t line, std::uint32_t& entry, Tick now);
  bool plain_hit(const Request& request, std::uint32_t set, Tick now);
  void hit(const Request& request, std::uint32_t entry, Tick now, bool joined);
  Outcome miss(const Request& request, std::uint32_t entry, Tick now, bool joined);
  Outcome fetch(const Request& request, std::uint8_t sectors, std::uint16_t mshr, Tick now);
  bool write_back(std::uint32_t entry, Tick now);
  void take_own_fills(Tick now);
  void take_fills(RingBuffer<Fill>& fills, Tick now);
  void fill(const Fill& fill, Tick now);
  void close(std::uint16_t mshr);
  // The data goes out over the port; returns when the last byte leaves.
  [[gnu::always_inline]] Tick answer(const Request& request, std::uint32_t entry, Tick now) {
    transfer(request, busy_until_ > now ? busy_until_ : now);
    const Tick out = busy_until_ + (is_of_partner(request) ? partner_reply_ : latency_);
    send(request, entry, out);
    return out;
  }
  void add_waiter(Mshr& mshr, const Request& request, bool joined);
  bool may_merge(const Mshr& mshr, std::uint8_t sectors) const;
  void find_company() { only_cus_ = !home_ && partners_.empty() && leftovers_.empty() && !flushing_; }
  void serve_input(Tick now);
  void serve_input_here(Tick now);  // the same, written in line
  void wake_in_company(Tick now);
  void hold_head(Outcome by, Tick now);
  void count_held(Tick now);
  void serve_next(Tick now);
  bool serve_partners(Tick now);
  bool room_for(L2Slice& partner);
  void wake_refused(Tick now);
  Outcome ask_home(const Request& request, std::uint8_t sectors, std::uint16_t mshr, Tick now);
  Outcome pass_on(const Request& store, Tick now);
  void hand_over(const Request& request, Tick now);
  void make_copies_stale(const Request& store, const L2Slice* but);
  void home_stored(const Request& store);
  bool may_open(const Request& request, std::uint32_t line) const;
  bool is_of_partner(const Request& request) const {
    return request.source >= first_partner_ && request.source <= last_partner_;
  }
  // Where `coalesces_`:
  bool joins(const Request& request, std::uint32_t entry, Tick now) const;
  void note(const Request& request, std::uint32_t entry, Tick now);
  void note_fill(std::uint32_t entry, Tick until) { under_way_[entry].until = until; }
  std::uint8_t coalescer_of(const Request& request) const;
  [[gnu::always_inline]] void send(const Request& request, std::uint32_t entry, Tick out) {
    if (!pool_) return sinks_[request.source]->reply(request, out);
    send_values(request, entry, out);
  }
  void send_values(const Request& request, std::uint32_t entry, Tick out);
  void continue_flush(Tick now);
  void continue_leftovers(Tick now);
  void push_to_channel(const Request& request, Tick now);
  Request write_of(std::uint32_t entry) const;
  // From `from` on the data port is taken by the request's data.
  void transfer(const Request& request, Tick from) {
    const Tick time = port_time_[static_cast<std::size_t>(sector_count(request.sectors))];
    stats_.transferring += time;
    busy_until_ = from + time;
  }
  void store_payload(std::uint32_t entry, std::uint32_t payload, std::uint8_t sectors);

  // What most wake-ups look at lies together: a line of the host's caches each.
  Scheduler& scheduler_;
  Tick busy_until_ = 0;  // data port
  Tick held_since_ = kNever;
  Outcome held_by_ = Outcome::served;
  bool only_cus_ = true;  // nothing but requests of CUs and fills of the own channel
  const bool coalesces_;
  std::uint32_t head_set_ = kNoSet;  // of the cache: where the first of `input_` looks
  Tick next_fill_ = kNever;          // the first of `fills_` is ready

  RingBuffer<Arrived> input_;
  CreditedInput places_;
  RingBuffer<Fill> fills_;

  SectorCache cache_;

  Tick latency_;
  std::uint16_t first_partner_ = 1, last_partner_ = 0;  // sinks
  std::array<std::uint32_t, 5> port_time_;              // of the data port, by sectors, in ticks
  const std::vector<ReplySink*>& sinks_;
  PayloadPool* pool_;

  Clock core_;
  L2Stats stats_;

  const L2Config& config_;
  std::uint16_t index_;
  std::uint16_t cus_;
  Tick entry_free_ = 0;  // of the network
  Tick dram_path_, partner_way_, partner_reply_;
  Channel& channel_;
  unsigned port_;
  StoreListener& listener_;
  const char* cache_name_;
  L2Slice* home_ = nullptr;                // of lines that this slice keeps copies of
  std::uint16_t sink_ = 0;                 // of this slice there
  std::vector<L2Slice*> partners_;         // that keep copies of this slice's lines
  std::vector<L2Slice*> refused_;          // of these, who wait for room
  RingBuffer<Passed> for_partners_;        // what partners ask of this slice
  RingBuffer<Fill> home_fills_;            // what the home has sent
  std::uint32_t far_mshrs_ = 0;            // in use
  std::uint64_t held_sectors_ = 0;         // of additions that wait for memory
  std::vector<std::uint16_t> mshr_of_;     // by cache entry; kNoMshr if none
  std::vector<Traffic> traffic_of_;        // by cache entry: who wrote it
  std::vector<std::uint32_t> payload_of_;  // functional mode: values of a line, by cache entry
  std::vector<UnderWay> under_way_;        // by cache entry; empty: no coalescers
  std::vector<Mshr> mshrs_;
  std::vector<std::uint16_t> free_mshrs_;
  std::vector<Waiter> waiters_;
  std::uint32_t free_waiter_ = kEnd;

  bool flushing_ = false;
  std::uint32_t flush_next_ = 0;
  DirtyLines leftovers_;  // of the kernel before
  std::size_t leftover_next_ = 0;
  Tick leftovers_not_before_ = 0;
  bool leftovers_turn_ = false;  // at the port to memory
};

}  // namespace t3sim
