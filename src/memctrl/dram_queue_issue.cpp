// What the DRAM queue puts on the command buses, and when.
#include <bit>
#include <cassert>

#include "memctrl/dram_queue.h"

namespace t3sim {

std::uint64_t DramQueue::eligible_banks(Tick now) const {
  return now < refresh_.due() ? candidates_ : candidates_ & ~refresh_.due_banks();
}

void DramQueue::find_row(Tick now, Tick from) {
  row_ = first(eligible_banks(now) & ~columns_, from);
  row_from_ = from;
  row_known_ = true;
}

void DramQueue::find_column(Tick now, Tick from) {
  column_ = first(eligible_banks(now) & columns_ & ~held_back(), from);
  column_known_ = urgent_ == kNone;  // whom an urgent entry holds back depends on what its bank needs
}

// Asked for in every cycle with a command: no branch in the loop depends on what it finds.
[[gnu::always_inline]] inline DramQueue::Turn DramQueue::first(std::uint64_t banks, Tick from) const {
  Turn first = kNoTurn;
  for (; banks != 0; banks &= banks - 1) {
    const Turn turn = turn_of(static_cast<unsigned>(std::countr_zero(banks)), from);
    first = turn < first ? turn : first;
  }
  return first;
}

Tick DramQueue::next(Tick now) {
  if (occupancy() == 0) return kNever;
  if (lanes_ == 2) choose_lane();
  if (now >= refresh_.due()) forget_plan();
  plan(now, now + period_);
  const Tick refresh = now < refresh_.due() ? refresh_.due() : refresh_.next_step(timing_).at;
  return std::max(std::min({at_of(column_), at_of(row_), urgency_at_, refresh}), now + period_);
}

// A command has been issued.
inline void DramQueue::issued(Command command, unsigned bank, std::uint32_t row, unsigned column, Tick at) {
  (is_column(command) ? column_known_ : row_known_) = false;
  ++stats_.commands[static_cast<int>(command)];
  if (observer_)
    observer_->command(
        {at, command, static_cast<std::uint8_t>(bank), static_cast<std::uint16_t>(column), row});
}

[[gnu::always_inline]] inline void DramQueue::finish(Index index, Tick now) {
  Entry& e = entries_[index];
  unlink(lists_[lane_][e.bank], index);
  --entries_in_[lane_];
  if (e.awaited) release_waiters(index, lane_);
  if (index == urgent_) {
    urgent_ = kNone;
    urgency_at_ = now + period_;
  }
  update_candidate(e.bank);
  free_.push_back(index);
}

[[gnu::always_inline]] inline DramQueue::Finished DramQueue::issue_column(unsigned bank, Tick now) {
  const Index index = entry_[bank];
  Entry& e = entries_[index];
  const Command command = e.op == Op::read    ? Command::read
                          : e.op == Op::write ? Command::write
                                              : Command::update;
  timing_.issue_column(command, bank, now);
  issued(command, bank, e.row, e.column + static_cast<unsigned>(std::countr_zero(e.bursts)), now);
  if (kind_[bank] != last_direction_) {
    last_direction_ = kind_[bank];
    ++stats_.direction_changes;
  }
  stats_.row_outcomes[static_cast<int>(e.stream)][static_cast<int>(e.outcome)] += !e.started;
  e.started = true;
  e.bursts = static_cast<std::uint8_t>(e.bursts & (e.bursts - 1));
  --occupancy_[lane_];
  --of_stream_[static_cast<int>(e.stream)];
  if (e.bursts != 0) return {};
  const Finished finished{e.slot, true};
  finish(index, now);
  return finished;
}

[[gnu::always_inline]] inline void DramQueue::issue_row(unsigned bank, Tick now) {
  Entry& e = entries_[entry_[bank]];
  const bool activate = kind_[bank] == Next::activate;
  e.outcome = std::max(e.outcome, activate ? RowOutcome::miss : RowOutcome::conflict);
  const Command command = activate ? Command::activate : Command::precharge;
  const std::uint32_t row = activate ? e.row : timing_.row(bank);
  timing_.issue_row(command, bank, row, now);
  issued(command, bank, row, 0, now);
  candidate_goes_on(bank);
}

DramQueue::Finished DramQueue::issue(Tick now) {
  if (now >= urgency_at_) find_urgent(now);
  bool row_bus = now >= row_bus_free_;
  if (now >= refresh_.due()) {
    if (row_bus) row_bus = !issue_refresh(now);
    forget_plan();  // other banks may be due now
  }
  plan(now, now);

  const Turn row_turn = row_;
  Finished finished;
  const bool column = at_of(column_) == now && (row_bus || !shared_bus_);
  if (column) finished = issue_column(bank_of(column_), now);
  if (at_of(row_turn) == now && row_bus && !(column && shared_bus_)) issue_row(bank_of(row_turn), now);
  return finished;
}

// Issues the refresh command, or precharge for it, that is legal now; false if none is.
bool DramQueue::issue_refresh(Tick now) {
  const RefreshEngine::Step step = refresh_.next_step(timing_);
  if (step.at > now) return false;
  refresh_step({now, step.command, step.bank});
  return true;
}

void DramQueue::catch_up_refresh(Tick now) {
  while (refresh_.due() < now) {
    RefreshEngine::Step step = refresh_.next_step(timing_);
    step.at = std::max(step.at, row_bus_free_);
    if (step.at >= now) return;
    refresh_step(step);
  }
}

void DramQueue::refresh_step(const RefreshEngine::Step& step) {
  const bool precharge = step.command == Command::precharge;
  const std::uint32_t row = precharge ? timing_.row(step.bank) : 0;
  timing_.issue_row(step.command, step.bank, row, step.at);
  issued(step.command, step.bank, row, 0, step.at);
  row_bus_free_ = step.at + period_;
  if (precharge) {
    update_candidate(step.bank);
  } else {
    refresh_.refreshed();
    update_all_candidates();
  }
}

}  // namespace t3sim
