#include "memctrl/timing.h"

#include <stdexcept>

namespace t3sim {

TimingTable::TimingTable(const MemoryConfig& config)
    : four_activates_(config.timing.faw), read_to_data_end_(config.timing.cl + config.timing.burst) {
  column_rules(config.timing);
  row_rules(config.timing);
  refresh_rules(config);
}

void TimingTable::add(Scope scope, Command previous, Next next, std::uint32_t cycles) {
  auto& slot = distance_[static_cast<int>(scope)][static_cast<int>(previous)][static_cast<int>(next)];
  slot = std::max(slot, cycles);
}

void TimingTable::column_rules(const DramTiming& t) {
  const std::uint32_t read_to_write = t.cl + t.burst + t.bus_turnaround - t.wl;
  const std::uint32_t write_data_end = t.wl + t.burst;

  add(Scope::channel, Command::read, Next::read, std::max(t.ccd_s, t.burst));
  add(Scope::channel, Command::read, Next::write, read_to_write);
  add(Scope::group, Command::read, Next::read, t.ccd_l);
  add(Scope::group, Command::read, Next::write, t.ccd_l);
  add(Scope::bank, Command::read, Next::precharge, t.rtp);

  // An op-and-store is a write to everyone else (section 4.3), but for CCDWL in its own bank group
  // (section 5.1.1).
  for (const Command store : {Command::write, Command::update}) {
    const std::uint32_t same_group = store == Command::update ? t.ccd_update : t.ccd_l;
    add(Scope::channel, store, Next::write, std::max(t.ccd_s, t.burst));
    add(Scope::channel, store, Next::read, write_data_end + t.wtr_s);
    add(Scope::group, store, Next::write, same_group);
    add(Scope::group, store, Next::read, std::max(same_group, write_data_end + t.wtr_l));
    add(Scope::bank, store, Next::precharge, write_data_end + t.wr);
  }
}

void TimingTable::row_rules(const DramTiming& t) {
  add(Scope::bank, Command::activate, Next::read, t.rcd_read);
  add(Scope::bank, Command::activate, Next::write, t.rcd_write);
  add(Scope::bank, Command::activate, Next::precharge, t.ras);
  add(Scope::bank, Command::activate, Next::activate, t.rc);
  add(Scope::group, Command::activate, Next::activate, t.rrd_l);
  add(Scope::channel, Command::activate, Next::activate, t.rrd_s);
  add(Scope::bank, Command::precharge, Next::activate, t.rp);
}

void TimingTable::refresh_rules(const MemoryConfig& config) {
  add(Scope::channel, Command::refresh, Next::activate, config.refresh.all_bank_cycles);
  add(Scope::bank, Command::refresh_bank, Next::activate, config.refresh.per_bank_cycles);
  add(Scope::channel, Command::refresh_bank, Next::activate, config.timing.rrd_s);
}

TimingState::TimingState(const MemoryConfig& config, const TimingTable& table, Tick period)
    : banks_(config.banks()), groups_(config.bank_groups), four_activates_(table.four_activates() * period) {
  for (unsigned b = 0; b < banks_.size(); ++b)
    banks_[b].group = static_cast<std::uint8_t>(b / config.banks_per_group);
  for (int c = 0; c < kCommands; ++c) {
    Ready* const of_scope[kScopes] = {&distances_[c].bank, &distances_[c].group, &distances_[c].channel};
    for (int s = 0; s < kScopes; ++s)
      for (int n = 0; n < kNexts; ++n) {
        const auto command = static_cast<Command>(c);
        const auto scope = static_cast<Scope>(s);
        const auto next = static_cast<Next>(n);
        const std::uint32_t cycles = table.distance(scope, command, next);
        if (cycles != 0) check(command, scope, next);
        (*of_scope[s])[n] = cycles * period;
      }
  }
}

// Each command holds back only some later ones: issue_column() and issue_row() look at these.
void TimingState::check(Command command, Scope scope, Next next) {
  const bool looked_at = is_column(command)
                             ? (scope == Scope::bank) == !is_column(next) && next != Next::activate
                             : scope == Scope::bank || next == Next::activate;
  if (!looked_at) throw std::logic_error("a DRAM command with a rule that nobody looks at");
}

Tick TimingState::earliest(Command command, unsigned bank) const {
  const Next next = next_class(command);
  if (command != Command::refresh)
    return std::max({last_, earliest_in_bank(next, bank), earliest_in_group(next, group(bank))});
  Tick at = std::max(last_, channel_[static_cast<int>(next)]);
  for (const Bank& b : banks_) at = std::max(at, b.ready[static_cast<int>(next)]);
  return at;
}

void TimingState::issue_row(Command command, unsigned bank, std::uint32_t row, Tick at) {
  const Distances& distances = distances_[static_cast<std::size_t>(command)];
  last_ = at;
  Bank& b = banks_[bank];
  for (const Next next : {Next::activate, Next::precharge, Next::read, Next::write})
    hold(b.ready, distances.bank, next, at);
  hold(groups_[b.group], distances.group, Next::activate, at);
  hold(channel_, distances.channel, Next::activate, at);
  if (command == Command::activate) activated(b, row, at);
  if (command == Command::precharge) b.open = false;
}

void TimingState::activated(Bank& bank, std::uint32_t row, Tick at) {
  bank.open = true;
  bank.row = row;
  last_activates_[activates_ % 4] = at;
  ++activates_;
  // The oldest of the last four bounds the next one.
  if (activates_ >= 4 && four_activates_ != 0) {
    Tick& next = channel_[static_cast<int>(Next::activate)];
    next = std::max(next, last_activates_[activates_ % 4] + four_activates_);
  }
}

}  // namespace t3sim
