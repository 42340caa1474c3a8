// A kernel resident on a GPU: hands out its workgroups in order, and says where their stores go.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernel/program.h"
#include "sim/request.h"
#include "sim/time.h"

namespace t3sim {

// Where the stores of a workgroup go: the output address map of section 4.4 (Figures 11 and 12).
struct StoreRoute {
  bool remote = false;  // over the link, to the memory of `gpu`
  std::uint16_t gpu = 0;
  Op op = Op::write;               // update: the kernel's "update" flag (section 4.3)
  bool tracked = false;            // uncached, counted by the Tracker where it arrives
  std::uint8_t announces = 0;      // collective step whose arrival a remote store is the news of
  std::uint32_t tile_offset = 0;   // of the destination's array (plan.h), in tiles
  std::uint64_t array_offset = 0;  // and in bytes
  bool uncached = false;           // passes by the L2, as tracked stores do
};

class StoreRouter {
 public:
  virtual ~StoreRouter() = default;
  // Route of the stores that the `workgroup`-th dispatched workgroup makes to `tile`.
  virtual StoreRoute route(std::uint32_t workgroup, std::uint32_t tile) const = 0;
};

// Functional mode: the value a kernel itself produces for the element at an address. Workgroups that share a
// tile (split-K) each produce a part.
class ElementValues {
 public:
  virtual ~ElementValues() = default;
  virtual std::int32_t value(std::uint64_t address, std::uint32_t part) const = 0;
};

// Functional mode of programs: what a kernel's workgroups make of what they load.
class BodyValues {
 public:
  virtual ~BodyValues() = default;
  // All loads of a group of the `workgroup`-th dispatched workgroup have arrived; its groups come in order. Reads them
  // from memory as it is now, and says what the group's stores carry: a value for each 2 bytes, in the order of the stores.
  virtual void compute(std::uint32_t workgroup, const Group& group, std::vector<std::int32_t>& stored) = 0;
};

// Told when a workgroup that waits for data from a link may go on.
class ArrivalWaiter {
 public:
  virtual ~ArrivalWaiter() = default;
  virtual void arrived(Tick now) = 0;
};

// What has arrived over the link, by collective step and tile: the flags that collective kernels poll.
class Arrivals {
 public:
  virtual ~Arrivals() = default;
  // True if all data of (step, tile) is in memory; else `waiter` will be called once when it is.
  virtual bool complete(std::uint32_t step, std::uint32_t tile, ArrivalWaiter& waiter) = 0;
};

class KernelQueue;

// What a workgroup takes of its CU while it runs there.
struct CuShare {
  std::uint64_t threads = 0, register_bytes = 0, lds_bytes = 0;

  bool fits(const CuShare& whole, const CuShare& taken) const {
    return taken.threads + threads <= whole.threads &&
           taken.register_bytes + register_bytes <= whole.register_bytes &&
           taken.lds_bytes + lds_bytes <= whole.lds_bytes;
  }
  void operator+=(const CuShare& other) {
    threads += other.threads;
    register_bytes += other.register_bytes;
    lds_bytes += other.lds_bytes;
  }
  void operator-=(const CuShare& other) {
    threads -= other.threads;
    register_bytes -= other.register_bytes;
    lds_bytes -= other.lds_bytes;
  }
};

// When and where a workgroup ran.
struct WorkgroupTimes {
  Tick dispatched = 0, retired = 0;
  std::uint16_t cu = 0, slot = 0;
};

// One kernel on one GPU. Not shared between GPUs.
class KernelRun {
 public:
  struct Setup {
    KernelSource* source = nullptr;
    const StoreRouter* router = nullptr;
    Arrivals* arrivals = nullptr;           // kernels that wait for data from a link
    const ElementValues* values = nullptr;  // functional mode, kernels that make values of their own
    BodyValues* body = nullptr;             // functional mode of programs
    Traffic traffic = Traffic::other;
    unsigned workgroups_per_cu = 1;
    std::uint32_t first_stage = 0;  // workgroups of the first stage (section 2.5)
    bool uses_l1 = true;
    bool adds = false;               // its local stores: the L2 adds them to what is there
    const TimeBase* time = nullptr;  // kernels with measured times (kernel/program.h, Timing)
    Tick start = 0;                  // of the kernel
    double issue_efficiency = 0;     // KernelTraits::issue_efficiency
    // Kernels that share the GPU: their order, and what a workgroup takes of a CU. Null: there is no other.
    const KernelQueue* queue = nullptr;
    CuShare share;
    std::int32_t priority = 0;
    std::uint16_t first_cu = 0, cus = 0;  // that it runs on

    bool runs_on(std::uint16_t cu) const { return cu >= first_cu && cu < first_cu + cus; }
  };
  explicit KernelRun(const Setup& setup)
      : setup_(setup), total_(setup.source->workgroups()), times_(total_) {}

  const Setup& setup() const { return setup_; }
  bool has_next() const { return next_ < total_; }
  // The next workgroup, for a place on a CU.
  std::uint32_t take(Tick now, std::uint16_t cu = 0, std::uint16_t slot = 0) {
    if (next_ == 0 && on_start) on_start(now);
    times_[next_] = {now, now, cu, slot};
    if (next_ + 1 == total_ && on_dispatched) on_dispatched(now);
    return next_++;
  }
  bool all_retired() const { return retired_ == total_; }
  // All workgroups have retired and all their stores are where later reads see them.
  bool ended() const { return all_retired() && stores_in_flight_ == 0; }

  void workgroup_retired(std::uint32_t workgroup, Tick now) {
    times_[workgroup].retired = now;
    ++retired_;
    if (retired_ == setup_.first_stage && on_first_stage) on_first_stage(now);
    last_retired_ = now;
    check_end(now);
  }
  void store_sent() { ++stores_in_flight_; }
  // Stores of a group may leave from tick `at` on.
  void stores_released(Tick at) { last_release_ = at > last_release_ ? at : last_release_; }
  Tick last_release() const { return last_release_; }
  // `remote`: it has left over a link.
  void store_accepted(Tick now, bool remote) {
    last_store_remote_ = remote;
    --stores_in_flight_;
    check_end(now);
  }

  // Bytes that its workgroups have asked for, group by group: how far it has come.
  void asked_for(const std::vector<Run>& loads) {
    for (const Run& run : loads) asked_bytes_ += run.bytes;
  }
  std::uint64_t asked_bytes() const { return asked_bytes_; }

  // Where a CU has the loads of a group put that it fetches, before it makes accesses of them: one place for
  // all CUs stays in the host's caches.
  std::vector<Run>& fetched_loads() { return fetched_loads_; }

  std::uint32_t retired() const { return retired_; }
  std::uint32_t total() const { return total_; }
  Tick last_retired() const { return last_retired_; }
  // Of the stores, the one that was accepted last.
  bool last_store_remote() const { return last_store_remote_; }
  // By workgroup, in order of dispatch.
  const std::vector<WorkgroupTimes>& times() const { return times_; }

  // Called once each.
  std::function<void(Tick)> on_start;  // the first workgroup is dispatched
  std::function<void(Tick)> on_first_stage;
  std::function<void(Tick)> on_dispatched;  // the last one is
  std::function<void(Tick)> on_end;

 private:
  void check_end(Tick now) {
    if (ended() && on_end) on_end(now);
  }

  Setup setup_;
  std::uint32_t total_;
  std::vector<WorkgroupTimes> times_;
  std::vector<Run> fetched_loads_;
  std::uint32_t next_ = 0;
  std::uint32_t retired_ = 0;
  std::uint64_t stores_in_flight_ = 0;
  std::uint64_t asked_bytes_ = 0;
  Tick last_retired_ = 0;
  Tick last_release_ = 0;
  bool last_store_remote_ = false;
};

}  // namespace t3sim
