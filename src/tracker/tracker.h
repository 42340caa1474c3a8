// The Tracker (section 4.2.1): counts local, remote and DMA updates of each wavefront tile where they enter
// the memory controller's queue, and reports the tile complete at its threshold.
//
// Place: at the memory controllers. Each controller has a port of its own and enqueues at most one request a
// memory cycle, so lookups are never the bottleneck; a completed entry triggers its DMA command
// `latency_cycles` core cycles later, off the critical path of the access.
//
// 256 sets are indexed by the low 8 bits of the workgroup id and tagged by its other bits and the wavefront
// id. An entry lives from the first update of its wavefront tile to the last one. When local stores have
// opened as many entries of a set as it has ways, a store that needs a new one waits in its controller's side
// queue. Updates from a link never wait, and what they open does not count against local stores: else GPUs
// that are ahead would lock up those that are behind. Entries beyond the set's ways are counted as
// `spilled_entries`. A set must hold the wavefronts of one workgroup, or a workgroup could wait for itself.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "memctrl/request.h"
#include "sim/time.h"

namespace t3sim {

inline constexpr std::uint32_t kTrackerSets = 256;
inline constexpr std::uint32_t kPaperTrackerWays = 8;  // eight wavefronts of one workgroup a set

struct TrackerConfig {
  std::uint32_t ways = 0;  // entries a set; 0: unbounded
  std::uint64_t latency_cycles = 4;
};

struct TrackerStats {
  std::uint64_t lookups = 0, completed_entries = 0, spilled_entries = 0;
  std::uint64_t refusals = 0;  // a store that waits is refused anew whenever its set has had room
  std::uint32_t peak_entries = 0, peak_set_entries = 0;
};

class Tracker {
 public:
  // Called when all updates of a wavefront tile have been enqueued.
  using Complete = std::function<void(std::uint32_t tile, std::uint32_t wavefront, Tick now)>;
  // Called when an entry has been freed in a set that local stores wait for.
  using SetFreed = std::function<void(Tick now)>;

  Tracker(const TrackerConfig& config, std::uint32_t tiles, std::uint32_t wavefronts, Complete complete,
          SetFreed set_freed);

  // Programs the threshold of a wavefront tile: its sectors times the updates expected an element.
  void expect(std::uint32_t tile, std::uint32_t wavefront, std::uint64_t sector_updates);

  // False if the local store needs a new entry and its set is full.
  bool may_enqueue(const Request& request);
  void count(const Request& request, Tick now);

  // Wavefront tiles programmed and not complete yet.
  std::uint64_t incomplete() const { return incomplete_; }
  std::uint32_t live_entries() const { return live_; }
  const TrackerStats& stats() const { return stats_; }
  std::string describe_waiting() const;

 private:
  struct Entry {
    std::uint32_t missing = 0;  // sector updates until the threshold
    bool live = false;
    bool opened_locally = false;
  };
  Entry& entry(std::uint32_t tile, std::uint32_t wavefront) {
    return entries_[std::size_t{tile} * wavefronts_ + wavefront];
  }
  void open(Entry& entry, std::uint32_t set, bool locally);

  TrackerConfig config_;
  std::uint32_t wavefronts_;
  Complete complete_;
  SetFreed set_freed_;
  std::vector<Entry> entries_;           // by tile and wavefront: what the tags of the real table find
  std::vector<std::uint32_t> occupied_;  // entries a set
  std::vector<std::uint32_t> local_;     // of these, opened by local stores
  std::vector<std::uint8_t> wanted_;     // a local store waits for this set
  std::uint32_t live_ = 0;
  std::uint64_t incomplete_ = 0;
  TrackerStats stats_;
};

}  // namespace t3sim
