// What a CU keeps of its resident workgroups, and how its loads are labelled: shared by the files that
// implement it.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "gpu/compute_unit.h"

namespace t3sim {

// A load: as much of a run as lies in a line.
struct ComputeUnit::Load {
  std::uint32_t line = 0;   // its number
  std::uint16_t slice = 0;  // of the L2
  std::uint8_t wavefront = 0;
  std::uint8_t sectors : 4 = 0;
  std::uint8_t kind : 4 = 0;  // no bit is left over that a write would have to keep

  // Which of its group's requests it is made of.
  static constexpr unsigned kStreaming = 1, kFar = 2, kKinds = 4;
  static std::uint8_t kind_of(bool streaming, bool far) {
    return static_cast<std::uint8_t>((streaming ? kStreaming : 0) | (far ? kFar : 0));
  }
  bool streaming() const { return (kind & kStreaming) != 0; }

  std::uint64_t address() const { return std::uint64_t{line} * kLineBytes; }
};

// A group in flight: its loads, then its work on the matrix unit, then its stores.
struct alignas(64) ComputeUnit::Stage {
  // What each access looks at is first.
  bool loads_left = false;                          // to be issued
  bool buffered = false;                            // takes one of the kernel's buffers
  std::uint32_t pending = 0;                        // loads without a known arrival
  Tick ready_at = 0;                                // when all known arrivals are in
  std::array<Request, Load::kKinds> load_requests;  // what loads have in common, by kind
  Group group;                                      // its loads left out: the slot has them
  Tick since = 0;                                   // its loads could be issued
  Tick not_before = 0;                              // its compute does not end
  enum class Compute : std::uint8_t { waiting, running, over, done } compute = Compute::waiting;
  std::uint32_t store_run = 0, store_offset = 0;
  std::uint32_t store_value = 0;  // functional mode: of `values`, the first of the run
  bool routed = false;
  StoreRoute route;
  std::vector<std::int32_t> values;  // functional mode: what its stores carry, in their order

  bool computed() const { return compute == Compute::done; }
  bool loads_issued() const { return !loads_left; }
  bool loaded(Tick now) const { return loads_issued() && pending == 0 && ready_at <= now; }
  bool stores_issued() const { return store_run == group.stores.size(); }

  void restart() {
    pending = store_run = store_offset = store_value = 0;
    ready_at = not_before = 0;
    compute = Compute::waiting;
    routed = false;
  }
};

struct alignas(64) ComputeUnit::Slot {
  // What each access and its reply look at is first: a line of the host's caches.
  Stage* loads = nullptr;  // whose loads are to be issued now; null: nobody's
  Stage* stores = nullptr;
  const Load* next_load = nullptr;  // of to_load, to be issued
  Load next;                        // it
  std::uint32_t next_set = 0;       // of the L1, where it looks
  std::uint32_t left = 0;           // loads, with it
  bool active = false;
  bool uses_l1 = true;
  bool load_turn = false;        // of an epilogue's stores and the next tile's loads, whose turn it is
  bool exhausted = false;        // the program has no more groups
  bool waiting_arrival = false;  // the newest group waits for data from a link
  bool in_main_loop = false;     // at least one group has been computed
  std::vector<Stage> stages;     // ring of the kernel's buffers, and of what its epilogue has in registers
  Tick check_at = 0;  // nothing but loads and stores can happen before; kNever: until something else does
  std::vector<Load> to_load;                // of the newest group
  std::vector<std::uint32_t> value_tokens;  // functional mode: for each load, where its values go
  KernelRun* kernel = nullptr;
  std::unique_ptr<WorkgroupProgram> program;
  unsigned head = 0, count = 0;
  unsigned buffers = 0, held = 0;  // the kernel's, and those taken by groups in flight
  std::uint32_t workgroup = 0;
  unsigned index = 0;
  Tick available_at = 0;  // may take its first workgroup: the dispatcher starts one a cycle, CU by CU
  Tick started_at = 0;    // its workgroup
  std::uint32_t unacknowledged = 0;  // stores, if they are acknowledged at all
  Tick acknowledged_at = 0;          // the last of the others

  unsigned position(unsigned i) const { return (head + i) % static_cast<unsigned>(stages.size()); }
  Stage& stage(unsigned i) { return stages[position(i)]; }
  const Stage& stage(unsigned i) const { return stages[position(i)]; }
  // Its next group may be asked for: the newest has issued its loads, waits for no data and holds up nothing.
  bool takes_group() const {
    if (count == 0) return true;
    const Stage& newest = stage(count - 1);
    if (waiting_arrival || (newest.group.fence && !newest.computed())) return false;
    return count < stages.size() && held < buffers && newest.loads_issued();
  }
  // The stage's buffer is free, if it has one.
  void give_back(Stage& stage) {
    if (stage.buffered) --held;
    stage.buffered = false;
  }
  // An epilogue's stores go beside the loads of the next tile.
  bool takes_turns() const { return stages.size() > buffers; }
  // Its oldest group that has not computed is at it.
  bool computes() const {
    for (unsigned i = 0; i < count; ++i)
      if (const Stage& s = stage(i); !s.computed()) return s.compute != Stage::Compute::waiting;
    return false;
  }
  bool has_store() const { return count > 0 && stage(0).computed() && !stage(0).stores_issued(); }
  bool has_load() const { return count > 0 && !waiting_arrival && !stage(count - 1).loads_issued(); }
  bool has_uncomputed() const { return !exhausted || (count > 0 && !stage(count - 1).computed()); }
};

inline void ComputeUnit::check(Slot& slot, Tick at) {
  if (at < slot.check_at) slot.check_at = at;
  if (at < next_check_) next_check_ = at;
}

namespace cu_token {

// A load's token: slot, stage, run of the group's stores (functional mode), sector within the run.
inline constexpr unsigned kSlotShift = 24, kStageShift = 19, kRunShift = 8;
inline constexpr std::uint32_t kMaxSlots = 1U << (32 - kSlotShift),
                               kMaxStages = 1U << (kSlotShift - kStageShift),
                               kMaxRuns = 1U << (kStageShift - kRunShift);

}  // namespace cu_token

}  // namespace t3sim
