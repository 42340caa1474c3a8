// The Tracker (section 4.2.1): counts local, remote and DMA updates of each wavefront tile at the memory
// controllers, and reports the tile complete at its threshold.
//
// Place: at the memory controllers, where accesses are enqueued (as 4.2.1 says) or where their last column
// command is issued (tracker.count_at). An entry is taken when the access is enqueued in either case.
// Lookups: with `ports` 0 each controller has a port of its own and enqueues at most one request a memory
// cycle, so they are never the bottleneck; else so many a core cycle, in order of arrival, and what a lookup
// triggers happens after it. A completed entry triggers its DMA command `latency_cycles` core cycles later.
// All this is off the critical path of the access.
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

#include "sim/request.h"
#include "sim/stats.h"
#include "sim/time.h"
#include "sim/waiting.h"
#include "tracker/lookup_ports.h"
#include "tracker/table_size.h"

namespace t3sim {

struct TrackerConfig {
  std::uint32_t ways = 0;   // entries a set; 0: unbounded
  std::uint32_t ports = 0;  // lookups a core cycle; 0: one a memory controller and cycle
  Clock core;
  Tick series_interval = 0;
};

struct TrackerStats {
  std::uint64_t lookups = 0, completed_entries = 0, spilled_entries = 0;
  std::uint64_t refusals = 0;  // a store that waits is refused anew whenever its set has had room
  std::uint32_t peak_entries = 0, peak_set_entries = 0;
  Tick lookup_wait = 0, longest_lookup_wait = 0;  // for a port
  Tick life = 0;                                  // of all completed entries, from first to last update
  std::uint32_t largest_threshold = 0;            // sector updates
  std::uint32_t tag_span = 1;  // of the workgroups live in one set at a time, in multiples of 256
};

class Tracker {
 public:
  // Called when all updates of a wavefront tile have been counted, with the tick of the last lookup.
  using Complete = std::function<void(std::uint32_t tile, std::uint32_t wavefront, Tick at)>;
  // Called when an entry has been freed in a set that local stores wait for.
  using SetFreed = std::function<void(Tick now)>;

  Tracker(const TrackerConfig& config, std::uint32_t tiles, std::uint32_t wavefronts, Complete complete,
          SetFreed set_freed);

  // Programs the threshold of a wavefront tile: its sectors times the updates expected an element.
  // `local`: how many of them local stores make; only a report asks for it.
  void expect(std::uint32_t tile, std::uint32_t wavefront, std::uint64_t sector_updates,
              std::uint64_t local = 0);

  // False if the local store needs a new entry and its set is full.
  bool may_enqueue(const Request& request);
  // Takes an entry for an access that count() will count later.
  void reserve(const Request& request, Tick now);
  void count(const Request& request, Tick now);

  // Wavefront tiles programmed and not complete yet.
  std::uint64_t incomplete() const { return incomplete_; }
  // Sector updates that a wavefront tile of `tile` still needs, one with an entry opened by a local store if
  // there is one; all 0 if the tile is complete.
  struct Missing {
    std::uint32_t all = 0, local = 0;
  };
  Missing missing(std::uint32_t tile) const;
  std::uint32_t live_entries() const { return live_; }
  const TrackerStats& stats() const { return stats_; }
  // Live entries over time.
  const Series& live_series() const { return live_series_.series(); }
  // Brings the series up to `end`.
  void settle(Tick end) { live_series_.settle(end); }
  // Widths of what an entry must hold, as the run has needed them; addresses below `address_end`.
  TrackerEntryBits entry_bits(std::uint64_t address_end) const;
  std::string describe_waiting() const;
  // Sets that local stores wait for. What tiles wait for the plan says (machine/gpu_waits.cpp).
  void report_waits(GpuWaits& waits) const;
  static std::string tile_name(std::uint32_t tile);
  static std::string set_name(std::uint32_t set);

 private:
  struct Entry {
    std::uint32_t missing = 0;          // sector updates until the threshold
    std::uint32_t missing_locally = 0;  // of these, by local stores
    bool live = false;
    bool opened_locally = false;
    Tick opened = 0;
  };
  Entry& entry(std::uint32_t tile, std::uint32_t wavefront) {
    return entries_[std::size_t{tile} * wavefronts_ + wavefront];
  }
  void open(Entry& entry, const Request& request, Tick now);
  void close(Entry& entry, std::uint32_t tile, Tick now);

  TrackerConfig config_;
  std::uint32_t wavefronts_;
  Complete complete_;
  SetFreed set_freed_;
  std::vector<Entry> entries_;           // by tile and wavefront: what the tags of the real table find
  std::vector<std::uint32_t> occupied_;  // entries a set
  std::vector<std::uint32_t> local_;     // of these, opened by local stores
  std::vector<std::uint8_t> wanted_;     // a local store waits for this set
  LiveTags tags_;
  LookupPorts ports_;
  std::uint32_t live_ = 0;
  std::uint64_t incomplete_ = 0;
  TrackerStats stats_;
  LevelSeries live_series_;
};

}  // namespace t3sim
