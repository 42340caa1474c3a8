// The DRAM queue of a channel and its command scheduler: first ready, first come, first served with open
// pages and an age cap.
//
// Each bank puts up one candidate command: a column command for its oldest entry in the open row, or else
// what its oldest entry needs (precharge or activate). So requests to the same row never change order, and a
// read never overtakes a write or update to its own address, nor the other way round. Of the candidates that
// timing allows, the oldest column command and the oldest row command are issued; reads and writes thus batch
// by themselves, since after one the other waits for the turnaround. Once an entry is older than the age cap
// it goes first: its bank serves nothing else, and column commands of the other direction wait.
//
// Split queues: only one of reads and writes is served at a time, with watermarks deciding when to change
// over. An entry to the same line as an older one in the other queue waits for it; a read that waits so
// starts the draining of writes. Nothing is forwarded: an op-and-store's result exists only in the memory.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "memctrl/address_map.h"
#include "memctrl/refresh.h"
#include "memctrl/timing.h"
#include "sim/request.h"

namespace t3sim {

enum class RowOutcome : std::uint8_t { hit, miss, conflict };
inline constexpr int kRowOutcomes = 3;

struct DramQueueStats {
  std::uint64_t row_outcomes[kStreams][kRowOutcomes] =
      {};  // of entries, when their first column command is issued
  std::uint64_t commands[kCommands] = {};
  std::uint64_t direction_changes = 0;  // between reads and writes, on the data bus
  std::uint64_t age_cap_hits = 0;
};

class DramQueue {
 public:
  // The last column command of an entry, if one was issued.
  struct Finished {
    std::uint16_t slot = 0;
    bool any = false;
  };

  DramQueue(const MemoryConfig& config, Tick period);

  void observe(CommandObserver* observer) { observer_ = observer; }

  bool has_room(Op op, unsigned bursts) const {
    const unsigned lane = lane_of(op);
    return occupancy_[lane] + bursts <= capacity_[lane];
  }
  unsigned lane_of(Op op) const { return lanes_ == 2 && op != Op::read ? 1 : 0; }
  unsigned lanes() const { return lanes_; }
  // In bursts not yet issued.
  unsigned occupancy() const { return occupancy_[0] + occupancy_[1]; }
  unsigned occupancy(Stream stream) const { return of_stream_[static_cast<int>(stream)]; }

  // Queues the bursts (a mask counted from `place`) of one bank and row. `slot` comes back in Finished.
  void enter(std::uint16_t slot, Op op, Stream stream, Place place, std::uint8_t bursts, Tick now);

  // Issues the refresh commands of an idle time that ends now. Call before issue().
  void catch_up(Tick now) {
    if (refresh_.due() < now) catch_up_refresh(now);
  }
  // From a column command to the end of its data, if it reads.
  Tick read_to_data_end() const { return read_to_data_end_; }
  // One memory cycle: issues at most one column command and one row command.
  Finished issue(Tick now);
  // The next cycle after `now` in which a command may be legal; kNever when the queue is empty. Call it once
  // a cycle, after issue() and enter(): reads and writes change over here.
  Tick next(Tick now);

  const DramQueueStats& stats() const { return stats_; }

 private:
  using Index = std::uint16_t;
  static constexpr Index kNone = 0xFFFF;
  static constexpr unsigned kMaxBanks = 64;
  // Age of a candidate that only prepares its bank for the lane not served: behind all others.
  static constexpr std::uint64_t kPreparing = std::uint64_t{1} << 57;

  struct Entry {
    std::uint64_t age = 0;  // running number
    Tick since = 0;
    std::uint32_t row = 0;
    std::uint16_t column = 0;
    Index next = kNone, previous = kNone;  // in its bank's list, oldest first
    Index waits_for = kNone;               // older entry to the same line in the other queue
    std::uint16_t slot = 0;
    std::uint8_t bank = 0;
    std::uint8_t bursts = 0;  // mask of those not yet issued
    Op op = Op::read;
    Stream stream = Stream::compute;
    RowOutcome outcome = RowOutcome::hit;  // worst of what its bank went through for it
    bool started = false;
    bool awaited = false;  // some entry waits for this one
  };
  struct List {
    Index head = kNone, tail = kNone;
  };
  // When timing allows a candidate, and below it the candidate's order_: the least is the first, of several the
  // oldest.
  __extension__ using Turn = unsigned __int128;
  static constexpr Turn kNoTurn = ~Turn{0};
  static constexpr Tick at_of(Turn turn) { return static_cast<Tick>(turn >> 64); }
  static constexpr unsigned bank_of(Turn turn) { return static_cast<unsigned>(turn & (kMaxBanks - 1)); }

  void append(List& list, Index index);
  void unlink(List& list, Index index);
  void find_older_in_other_lane(Index index, unsigned lane);
  void release_waiters(Index index, unsigned lane);

  Index oldest_hit(unsigned bank) const;
  Index oldest_free(unsigned bank) const;
  void update_candidate(unsigned bank);
  void candidate_goes_on(unsigned bank);
  void drop_candidate(unsigned bank);
  void prepare_for_other_lane(unsigned bank);
  void set_candidate(unsigned bank, Index index, Next kind, std::uint64_t age);
  void update_all_candidates();
  void choose_lane();
  void find_urgent(Tick now);
  std::uint64_t held_back() const;

  // Finds the column and the row command that timing allows first from `from` on, of several the oldest. What
  // is known and not over is the same from then on, too.
  void plan(Tick now, Tick from) {
    if (!row_known_ || at_of(row_) < from) find_row(now, from);
    if (!column_known_ || at_of(column_) < from) find_column(now, from);
  }
  void find_row(Tick now, Tick from);
  void find_column(Tick now, Tick from);
  void forget_plan() { column_known_ = row_known_ = false; }
  Turn turn_of(unsigned bank, Tick from) const {
    const Tick at = std::max({from, ready_[bank], timing_.earliest_in_group(kind_[bank], group_[bank])});
    return Turn{at} << 64 | order_[bank];
  }
  Turn first(std::uint64_t banks, Tick from) const;
  std::uint64_t eligible_banks(Tick now) const;
  Finished issue_column(unsigned bank, Tick now);
  void issue_row(unsigned bank, Tick now);
  bool issue_refresh(Tick now);
  void catch_up_refresh(Tick now);
  void refresh_step(const RefreshEngine::Step& step);
  void issued(Command command, unsigned bank, std::uint32_t row, unsigned column, Tick at);
  void finish(Index index, Tick now);

  // What most cycles look at lies together, a line of the host's caches each.
  // The first candidates of each kind, as of `row_from_` and later. Known: no such candidate and none of their
  // timings has changed since they were found. Most row commands wait for something, so theirs often holds.
  alignas(64) Turn column_ = kNoTurn, row_ = kNoTurn;
  Tick row_from_ = 0;
  bool column_known_ = false, row_known_ = false;
  bool shared_bus_;
  Next last_direction_ = Next::read;
  Index urgent_ = kNone;
  Tick period_;
  Tick row_bus_free_ = 0;

  Tick urgency_at_ = kNever;  // no entry can pass the age cap before
  // Candidates, a value a bank. `candidates_` has a bit for each bank that has one.
  std::uint64_t candidates_ = 0;
  std::uint64_t columns_ = 0;  // of these: column commands
  CommandObserver* observer_ = nullptr;
  unsigned lanes_;  // 1: shared; 2: reads, writes
  unsigned lane_ = 0;
  unsigned occupancy_[2] = {};  // bursts
  unsigned of_stream_[kStreams] = {};
  RefreshEngine refresh_;  // when it is due is its first word
  unsigned capacity_[2] = {};
  unsigned entries_in_[2] = {};
  unsigned waiting_in_[2] = {};  // entries that wait for one in the other lane
  Tick read_to_data_end_;
  Tick age_cap_[2];  // of each lane
  std::uint64_t next_age_ = 0;
  unsigned line_columns_;
  unsigned low_watermark_, high_watermark_;
  unsigned drain_target_ = 0;  // of the drain that is going on

  std::vector<Entry> entries_;
  std::vector<Index> free_;
  TimingState timing_;
  std::array<List, kMaxBanks> lists_[2];
  std::array<Tick, kMaxBanks> ready_{};           // by the rules of the bank itself
  std::array<std::uint64_t, kMaxBanks> order_{};  // age, then the bank's number
  std::array<Index, kMaxBanks> entry_{};
  std::array<Next, kMaxBanks> kind_{};
  std::array<std::uint8_t, kMaxBanks> group_{};

  DramQueueStats stats_;
};

}  // namespace t3sim
