// Entries, lists and the order among them. Commands are in dram_queue_issue.cpp.
#include "memctrl/dram_queue.h"

#include <bit>
#include <cassert>

namespace t3sim {

DramQueue::DramQueue(const MemoryConfig& config, Tick period)
    : shared_bus_(config.shared_command_bus),
      period_(period),
      lanes_(config.queue.kind == QueueKind::split ? 2 : 1),
      refresh_(config, period),
      read_to_data_end_(TimingTable(config).read_to_data_end() * period),
      age_cap_{config.queue.age_cap_cycles * period, config.queue.write_age_cap_cycles * period},
      line_columns_(static_cast<unsigned>(kLineBytes / config.burst_bytes)),
      low_watermark_(config.queue.write_low_watermark),
      high_watermark_(config.queue.write_high_watermark),
      timing_(config, TimingTable(config), period) {
  capacity_[0] = lanes_ == 2 ? config.queue.read_bursts : config.queue.shared_bursts;
  capacity_[1] = lanes_ == 2 ? config.queue.write_bursts : 0;
  entries_.resize(capacity_[0] + capacity_[1]);
  for (std::size_t i = entries_.size(); i-- > 0;) free_.push_back(static_cast<Index>(i));
  for (unsigned b = 0; b < timing_.banks(); ++b) group_[b] = static_cast<std::uint8_t>(timing_.group(b));
}

void DramQueue::enter(std::uint16_t slot, Op op, Stream stream, Place place, std::uint8_t bursts, Tick now) {
  const unsigned lane = lane_of(op);
  assert(!free_.empty() && bursts != 0);
  const Index index = free_.back();
  free_.pop_back();
  Entry& e = entries_[index];
  e = {.age = next_age_++,
       .since = now,
       .row = place.row,
       .column = place.column,
       .slot = slot,
       .bank = place.bank,
       .bursts = bursts,
       .op = op,
       .stream = stream};

  const auto count = static_cast<unsigned>(sector_count(bursts));  // at most four, too
  occupancy_[lane] += count;
  of_stream_[static_cast<int>(stream)] += count;
  ++entries_in_[lane];
  if (urgent_ == kNone) urgency_at_ = std::min(urgency_at_, now + age_cap_[lane]);
  if (lanes_ == 2) find_older_in_other_lane(index, lane);

  append(lists_[lane][place.bank], index);
  const bool has_candidate = (candidates_ >> place.bank & 1) != 0;
  const bool may_hit = kind_[place.bank] == Next::precharge && timing_.row(place.bank) == place.row;
  const bool preparing = lanes_ == 2 && order_[place.bank] / kMaxBanks >= kPreparing;
  if (!has_candidate || may_hit || preparing) update_candidate(place.bank);
}

void DramQueue::append(List& list, Index index) {
  entries_[index].previous = list.tail;
  (list.tail == kNone ? list.head : entries_[list.tail].next) = index;
  list.tail = index;
}

void DramQueue::unlink(List& list, Index index) {
  const Entry& e = entries_[index];
  (e.previous == kNone ? list.head : entries_[e.previous].next) = e.next;
  (e.next == kNone ? list.tail : entries_[e.next].previous) = e.previous;
}

// Split queues: an entry waits for the youngest older one to its line in the other queue.
void DramQueue::find_older_in_other_lane(Index index, unsigned lane) {
  Entry& e = entries_[index];
  for (Index i = lists_[1 - lane][e.bank].tail; i != kNone; i = entries_[i].previous) {
    Entry& older = entries_[i];
    if (older.row != e.row || older.column / line_columns_ != e.column / line_columns_) continue;
    e.waits_for = i;
    older.awaited = true;
    ++waiting_in_[lane];
    return;
  }
}

void DramQueue::release_waiters(Index index, unsigned lane) {
  const unsigned other = 1 - lane;
  const unsigned bank = entries_[index].bank;
  for (Index i = lists_[other][bank].head; i != kNone; i = entries_[i].next) {
    if (entries_[i].waits_for != index) continue;
    entries_[i].waits_for = kNone;
    --waiting_in_[other];
  }
}

DramQueue::Index DramQueue::oldest_hit(unsigned bank) const {
  const std::uint32_t row = timing_.row(bank);
  for (Index i = lists_[lane_][bank].head; i != kNone; i = entries_[i].next)
    if (entries_[i].row == row && entries_[i].waits_for == kNone) return i;
  return kNone;
}

DramQueue::Index DramQueue::oldest_free(unsigned bank) const {
  Index i = lists_[lane_][bank].head;
  while (i != kNone && entries_[i].waits_for != kNone) i = entries_[i].next;
  return i;
}

void DramQueue::drop_candidate(unsigned bank) {
  const std::uint64_t bit = std::uint64_t{1} << bank;
  if ((candidates_ & columns_ & bit) != 0)
    column_known_ = false;
  else if (bank_of(row_) == bank)
    row_known_ = false;
  candidates_ &= ~bit;
}

inline void DramQueue::set_candidate(unsigned bank, Index index, Next kind, std::uint64_t age) {
  const std::uint64_t bit = std::uint64_t{1} << bank;
  candidates_ |= bit;
  columns_ = is_column(kind) ? columns_ | bit : columns_ & ~bit;
  entry_[bank] = index;
  kind_[bank] = kind;
  order_[bank] = age * kMaxBanks + bank;
  ready_[bank] = timing_.earliest_in_bank(kind, bank);
  if (is_column(kind))
    column_known_ = false;
  else if (row_known_)
    row_ = std::min(row_, turn_of(bank, row_from_));
}

void DramQueue::update_candidate(unsigned bank) {
  drop_candidate(bank);
  const bool urgent = urgent_ != kNone && entries_[urgent_].bank == bank;
  Index index = urgent ? urgent_ : oldest_free(bank);
  if (index == kNone) {
    if (lanes_ == 2) prepare_for_other_lane(bank);
    return;
  }
  Next kind = Next::activate;
  if (timing_.open(bank)) {
    const Index hit = !urgent ? oldest_hit(bank) : entries_[index].row == timing_.row(bank) ? index : kNone;
    if (hit != kNone) index = hit;
    kind = hit == kNone ? Next::precharge : entries_[hit].op == Op::read ? Next::read : Next::write;
  }
  set_candidate(bank, index, kind, entries_[index].age);
}

// After the candidate's precharge or activate: the same entry is still the one that the bank serves first, and needs the command
// that follows. update_candidate() would find the same with a search.
void DramQueue::candidate_goes_on(unsigned bank) {
  const std::uint64_t age = order_[bank] / kMaxBanks;
  if (age >= kPreparing) return update_candidate(bank);  // which takes no column command
  const Index index = entry_[bank];
  const Next column = entries_[index].op == Op::read ? Next::read : Next::write;
  set_candidate(bank, index, kind_[bank] == Next::activate ? column : Next::activate, age);
}

// Split queues: a bank that the served lane has no use for gets its row ready for the other lane, after
// everyone else.
void DramQueue::prepare_for_other_lane(unsigned bank) {
  const Index index = lists_[1 - lane_][bank].head;
  if (index == kNone) return;
  if (!timing_.open(bank))
    set_candidate(bank, index, Next::activate, kPreparing | entries_[index].age);
  else if (timing_.row(bank) != entries_[index].row)
    set_candidate(bank, index, Next::precharge, kPreparing | entries_[index].age);
}

void DramQueue::update_all_candidates() {
  for (unsigned b = 0; b < timing_.banks(); ++b) update_candidate(b);
}

// Split queues: reads or writes? Writes when enough have gathered, one is over the age cap, nothing else is
// there, or a read waits for one; then down to the low watermark, or to none if there were no more from the
// start.
void DramQueue::choose_lane() {
  const unsigned free_reads = entries_in_[0] - waiting_in_[0];
  const unsigned free_writes = entries_in_[1] - waiting_in_[1];
  unsigned lane = lane_;
  if (urgent_ != kNone)
    lane = lane_of(entries_[urgent_].op);
  else if (lane_ == 0 && free_writes > 0)
    lane = occupancy_[1] >= high_watermark_ || free_reads == 0 || waiting_in_[0] > 0 ? 1 : 0;
  else if (lane_ == 1 && free_reads > 0)
    lane = free_writes == 0 || (occupancy_[1] <= drain_target_ && waiting_in_[0] == 0) ? 0 : 1;
  if (lane == lane_) return;
  lane_ = lane;
  if (lane == 1) drain_target_ = occupancy_[1] > low_watermark_ ? low_watermark_ : 0;
  update_all_candidates();
}

// Looks for the entry that is over its lane's age cap, or will be first, and makes it urgent if the time has
// come. One that waits for another is passed over: it is the other's turn first.
void DramQueue::find_urgent(Tick now) {
  Index first = kNone;
  urgency_at_ = kNever;
  for (unsigned lane = 0; lane < lanes_; ++lane)
    for (unsigned b = 0; b < timing_.banks(); ++b) {
      const Index head = lists_[lane][b].head;
      if (head == kNone || entries_[head].waits_for != kNone) continue;
      const Tick at = entries_[head].since + age_cap_[lane];
      if (at < urgency_at_) urgency_at_ = at, first = head;
    }
  if (urgency_at_ > now) return;
  urgent_ = first;
  urgency_at_ = kNever;
  ++stats_.age_cap_hits;
  if (lanes_ == 2) choose_lane();
  update_candidate(entries_[first].bank);
  column_known_ = false;  // it holds others back
}

// An urgent entry that is ready but for the turnaround holds back the other direction, so that its turn
// comes. The banks that it holds back:
std::uint64_t DramQueue::held_back() const {
  if (urgent_ == kNone) return 0;
  const Next wanted = kind_[entries_[urgent_].bank];
  if (!is_column(wanted)) return 0;
  std::uint64_t held = 0;
  for (std::uint64_t banks = candidates_ & columns_; banks != 0; banks &= banks - 1) {
    const int bank = std::countr_zero(banks);
    if (kind_[bank] != wanted) held |= std::uint64_t{1} << bank;
  }
  return held;
}

}  // namespace t3sim
