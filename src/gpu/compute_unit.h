// A compute unit: resident workgroups, their loads and stores through L1 and network, the shared matrix unit.
//
// A workgroup runs its program group by group (kernel/program.h): the loads of the next groups are issued
// while an earlier one computes, as far as the kernel's buffers allow. One access leaves the CU a cycle.
// Loads and stores have lanes of their own: an access that finds its L2 slice or the link full holds up those
// behind it in its lane, so a store that waits for the link does not keep other workgroups from loading.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/clock_beside_links.h"
#include "gpu/config.h"
#include "gpu/cu_stats.h"
#include "gpu/kernel_run.h"
#include "gpu/l2_slice.h"
#include "gpu/matrix_unit.h"
#include "interconnect/remote_port.h"
#include "memctrl/address_map.h"
#include "sim/waiting.h"

namespace t3sim {

// What a CU is connected to.
struct CuWiring {
  Scheduler* scheduler = nullptr;
  PayloadPool* pool = nullptr;       // functional mode
  std::span<L2Slice* const> slices;  // that the CU reaches, by home: channel by channel
  const AddressMap* map = nullptr;
  std::vector<bool> far;  // the home is in the other partition; empty: there is none
  RemotePort* remote = nullptr;
  const BlockedWays* blocked_ways = nullptr;
  ClockBesideLinks* clock_beside_links = nullptr;  // null: links take nothing of the clock

  bool is_far(unsigned home) const { return !far.empty() && far[home]; }
};

class alignas(64) ComputeUnit : public Component, public ReplySink, public ArrivalWaiter {
 public:
  ComputeUnit(const GpuConfig& config, std::uint16_t index, Clock clock, const CuWiring& wiring,
              std::uint64_t l1_bytes);
  ~ComputeUnit() override;

  // Makes the CU take workgroups of `kernel`, the first one at tick `at`.
  void run(KernelRun& kernel, Tick at);
  // A kernel before others in the queue has no more workgroups: others may have its places.
  void places_free(Tick now);
  // A kernel that has ended gives its places back, for kernels that are launched later.
  void release(const KernelRun& kernel);
  // Whose a store is that the CU has sent.
  KernelRun& kernel_of(const Request& store) const;

  void wake(Tick now) override;
  void reply(const Request& request, Tick out) override;
  void arrived(Tick now) override;
  // A store of the CU is in the L2 or, if it passes by it, in memory: the CU knows from tick `at` on. Only to
  // be called with store_acknowledgement.
  void store_acknowledged(const Request& request, Tick at);

  // Closes the account of the matrix unit: after the kernel's last workgroup has retired, what is left until
  // `end` is the writing of its output, by stores that wait for `last_store`.
  void finish(Tick last_retired, PlaceWait last_store, Tick end);
  bool idle() const { return active_ == 0; }
  std::string describe_waiting() const;
  // What a CU waits for that is not a part of the GPU: data that is to arrive over a link.
  using ArrivalWaits = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // step, tile
  // Returns the loads whose replies it waits for.
  std::uint32_t report_waits(GpuWaits& waits, ArrivalWaits& arrivals) const;
  std::string name() const;
  static std::string arrival_name(std::uint32_t step, std::uint32_t tile);
  // No workgroup, and no access that waits for room.
  bool has_nothing() const { return active_ == 0 && !holds(load_lane_) && !holds(store_lane_); }
  // The matrix unit works, or a group's time runs: something will happen by itself after `now`.
  bool computes(Tick now) const;
  const CuStats& stats() const { return stats_; }
  MatrixTime matrix_time() const { return matrix_.time(); }
  const IdleAccount& places() const { return matrix_.places(); }

 private:
  struct Load;   // of a line at most
  struct Stage;  // a group in flight
  struct Slot;   // a resident workgroup
  struct Access {
    Request request;
    L2Slice* slice = nullptr;  // that it goes to; null: over the link
  };
  // Why no load, or no store, may be issued: a bit each.
  using Holds = std::uint8_t;
  static constexpr Holds kLoadWaits = 1, kLoadHasPlace = 2, kStoreWaits = 4, kStoreHasPlace = 8;
  static constexpr Holds kInFlight = 16;  // no load may leave before another has returned
  // Accesses of one kind, in order; the first may wait for room at its target.
  struct Lane : public Sender {
    Lane(ComputeUnit& unit, Holds when_waiting, Holds when_granted)
        : cu(unit), waits(when_waiting), has_place(when_granted) {}
    void granted(Tick now) override { cu.lane_granted(*this, now); }
    Holds bits() const { return waits | has_place; }
    ComputeUnit& cu;
    const Holds waits, has_place;  // `held` does, at its target
    Access held;
    unsigned slot = 0;  // whose it is
    Tick since = 0;
  };
  enum class Issue {
    none,  // nothing to send, or its lane waits
    used,  // the cycle is used
    held,  // an access waits from now on; the other lane may use the cycle
  };

  Slot& free_slot();
  unsigned after(unsigned slot) const { return slot + 1 < slot_count_ ? slot + 1 : 0; }
  bool may_begin(const Slot& slot, Tick now) const;
  bool advance(Slot& slot, Tick now);
  bool fetch_group(Slot& slot, Tick now);
  bool start_compute(Slot& slot, Stage& stage, Tick now);
  void matrix_work_done(Slot& slot, Tick now);
  Tick not_before(const Slot& slot, const Stage& stage) const;
  std::string target_name(const Access& access) const;
  void retire(Slot& slot, Tick now);
  void begin_workgroup(Slot& slot, std::uint32_t workgroup, Tick now);
  void issue(Tick now);
  void send_held(Tick now);
  void transmit_held(Lane& lane, Tick now);
  Issue issue_from(Slot& slot, Tick now);
  Issue issue_store(Slot& slot, Stage& stage, Tick now);
  Issue issue_load(Slot& slot, Stage& stage, Tick now);
  void lane_granted(Lane& lane, Tick now);
  bool waiting(const Lane& lane) const { return (holds_ & lane.waits) != 0; }
  bool holds(const Lane& lane) const { return (holds_ & lane.bits()) != 0; }
  bool may_load() const { return (holds_ & holds_loads_) == 0; }
  bool may_store() const { return (holds_ & holds_stores_) == 0; }
  Tick next_issue(Tick now) const;
  bool advance_slots(Tick now);
  // There is a load or store that may be issued, or that has its place.
  bool has_access() const {
    return (loading_ != 0 && may_load()) || (storing_ != 0 && may_store()) ||
           (holds_ & (kLoadHasPlace | kStoreHasPlace)) != 0;
  }
  void check(Slot& slot, Tick at);
  void find_accesses(Slot& slot);
  void make_loads(Slot& slot, Stage& stage, const std::vector<Run>& runs) const;
  static void label_values(Slot& slot, const Stage& stage, const std::vector<Run>& runs);
  void write_load(const Slot& slot, const Stage& stage, const Load& load, Request& request) const;
  void load_hit(Stage& stage, std::uint32_t entry, std::uint8_t sectors, Tick now);
  void count_load(Slot& slot, Stage& stage, std::uint8_t sectors, Tick now);
  bool may_fly(Tick now) { return in_flight_ < loads_in_flight_ || finds_flight(now); }
  bool finds_flight(Tick now);
  void count_returned(Tick now);
  Issue hold(Lane& lane, const Slot& slot, const Access& access, Tick now);
  CreditedInput& input_of(const Access& access) const;
  Tick leave_to(L2Slice& slice, std::uint32_t flits, Tick now);
  std::uint32_t request_flits(std::uint8_t sectors) const;
  Tick leave(std::uint32_t flits, Tick now);
  Tick enter_cu(std::uint32_t flits, Tick at);
  void transmit(const Access& access, Tick now);
  Access store_access(const Slot& slot, Stage& stage);
  void update_cause();
  void update_places();
  PlaceWait place_wait(const Slot& slot) const;
  void attach_values(const Slot& slot, const Stage& stage, const Run& run, std::uint64_t line,
                     Request& request);
  void collect_values(Stage& stage, const Request& request);

  // What most wake-ups look at lies together: a line of the host's caches each.
  std::uint16_t index_;
  Holds holds_ = 0;
  const Holds holds_loads_, holds_stores_;  // of these: what does
  const bool by_sectors_;                   // OnChipNetwork::sectors
  unsigned turn_ = 0;                       // slot whose accesses go next
  unsigned slot_count_ = 0;
  unsigned loading_ = 0;  // slots with loads to be issued
  unsigned storing_ = 0;  // and with stores

  Tick next_check_ = 0;  // of the slots' check_at, the first
  Tick issue_free_ = 0;  // request port
  Tick last_wake_ = 0;
  std::uint32_t in_flight_ = 0;
  const std::uint32_t loads_in_flight_;  // at most
  const Tick noc_latency_;
  Clock clock_;

  std::vector<Slot> slots_;
  CuWiring wiring_;
  const GpuConfig& config_;

  // Its times: when the newest sectors are there; until then a hit waits for them.
  alignas(64) SectorCache l1_;

  // Arrival ticks of loads in flight whose reply is on its way, or has come and has not been counted yet: that
  // is done when it matters.
  RingBuffer<Tick> completions_;
  Tick ingress_free_ = 0;                                                             // reply port
  std::array<std::uint8_t, 5> reply_flits_{}, store_flits_{}, remote_store_flits_{};  // by sectors

  // What each load counts and what each wake-up asks the matrix unit are in one line.
  alignas(64) CuStats stats_;
  MatrixUnit matrix_;
  CuShare taken_;        // by resident workgroups of kernels that share the GPU
  unsigned active_ = 0;  // slots with a workgroup
  Lane load_lane_{*this, kLoadWaits, kLoadHasPlace}, store_lane_{*this, kStoreWaits, kStoreHasPlace};
  Tick in_flight_full_since_ = 0;
};

}  // namespace t3sim
