#include "memctrl/checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"

namespace t3sim {

ProtocolChecker::ProtocolChecker(const MemoryConfig& config, Tick period)
    : config_(config), period_(period), banks_(config.banks()), groups_(config.bank_groups) {}

void ProtocolChecker::violation(const IssuedCommand& c, Cycle now, const std::string& what) {
  ++violation_count_;
  if (violations_.size() >= 100) return;
  violations_.push_back(fmt::format("cycle {}: {} bank {} row {}: {}", now, to_string(c.command),
                                    narrow<int>(c.bank), c.row, what));
}

void ProtocolChecker::at_least(const IssuedCommand& c, const char* rule, Cycle since, std::int64_t needed,
                               Cycle now) {
  if (now - since < needed)
    violation(c, now, fmt::format("{}: {} cycles, {} needed", rule, now - since, needed));
}

void ProtocolChecker::command(const IssuedCommand& c) {
  const auto now = static_cast<Cycle>(c.at / period_);
  ++commands_;
  if (c.at % period_ != 0) violation(c, now, "not on an edge of the memory clock");
  if (c.bank >= banks_.size()) return violation(c, now, "no such bank");
  check_refresh_not_missed(now);
  check_bus(c, now);
  switch (c.command) {
    case Command::activate:
      return check_activate(c, now);
    case Command::precharge:
      return check_precharge(c, now);
    case Command::read:
      return check_read(c, now);
    case Command::write:
    case Command::update:
      return check_store(c, now);
    case Command::refresh:
      return check_refresh(c, now);
    case Command::refresh_bank:
      return check_refresh_bank(c, now);
  }
}

void ProtocolChecker::check_bus(const IssuedCommand& c, Cycle now) {
  const bool column =
      c.command == Command::read || c.command == Command::write || c.command == Command::update;
  Cycle& bus = column && !config_.shared_command_bus ? column_bus_ : row_bus_;
  if (now < bus) violation(c, now, "earlier than the command before it");
  if (now == bus) violation(c, now, "two commands in one cycle of a command bus");
  bus = now;
}

void ProtocolChecker::check_activate(const IssuedCommand& c, Cycle now) {
  const DramTiming& t = config_.timing;
  BankHistory& b = banks_[c.bank];
  if (b.open) violation(c, now, "the bank is open: lost precharge");
  at_least(c, "rp after precharge", b.precharge, t.rp, now);
  at_least(c, "rc after activate of the bank", b.activate, t.rc, now);
  at_least(c, "rrd_l after activate in the group", group(c.bank).activate, t.rrd_l, now);
  at_least(c, "rrd_s after activate", any_activate_, t.rrd_s, now);
  at_least(c, "rrd_s after per-bank refresh", any_refresh_bank_, t.rrd_s, now);
  at_least(c, "rfc after refresh", any_refresh_, config_.refresh.all_bank_cycles, now);
  at_least(c, "rfc of the bank after its refresh", b.refresh, config_.refresh.per_bank_cycles, now);
  if (t.faw != 0 && activates_.size() == 4)
    at_least(c, "faw: fifth activate after the first", activates_.front(), t.faw, now);
  activates_.push_back(now);
  if (activates_.size() > 4) activates_.pop_front();
  b.activate = any_activate_ = group(c.bank).activate = now;
  b.open = true;
  b.row = c.row;
}

void ProtocolChecker::check_precharge(const IssuedCommand& c, Cycle now) {
  const DramTiming& t = config_.timing;
  BankHistory& b = banks_[c.bank];
  if (!b.open) violation(c, now, "the bank is closed");
  at_least(c, "ras after activate", b.activate, t.ras, now);
  at_least(c, "rtp after read", b.read, t.rtp, now);
  at_least(c, "wl + burst + wr after write", b.store, std::int64_t{t.wl} + t.burst + t.wr, now);
  b.open = false;
  b.precharge = now;
}

void ProtocolChecker::check_column(const IssuedCommand& c, Cycle now) {
  const DramTiming& t = config_.timing;
  const BankHistory& b = banks_[c.bank];
  if (!b.open)
    violation(c, now, "the bank is closed");
  else if (b.row != c.row)
    violation(c, now, fmt::format("row {} is open", b.row));
  if (c.column >= config_.row_bytes / config_.burst_bytes) violation(c, now, "no such column");

  const GroupHistory& g = group(c.bank);
  at_least(c, "ccd_l after read in the group", g.read, t.ccd_l, now);
  at_least(c, "ccd_l after write in the group", g.write, t.ccd_l, now);
  at_least(c, "ccd_update after update in the group", g.update, t.ccd_update, now);
  for (const GroupHistory& any : groups_)
    at_least(c, "ccd_s", std::max({any.read, any.write, any.update}), t.ccd_s, now);
  check_data_bus(c, now);
}

void ProtocolChecker::check_data_bus(const IssuedCommand& c, Cycle now) {
  const DramTiming& t = config_.timing;
  const bool read = c.command == Command::read;
  const Cycle start = now + (read ? t.cl : t.wl);
  const Cycle gap = !read && data_was_read_ ? t.bus_turnaround : 0;
  if (start < data_end_ + gap)
    violation(c, now, fmt::format("data bus: data at {}, bus free at {}", start, data_end_ + gap));
  data_end_ = start + t.burst;
  data_was_read_ = read;
}

void ProtocolChecker::check_read(const IssuedCommand& c, Cycle now) {
  const DramTiming& t = config_.timing;
  const std::int64_t data = std::int64_t{t.wl} + t.burst;
  at_least(c, "rcd_read after activate", banks_[c.bank].activate, t.rcd_read, now);
  const GroupHistory& own = group(c.bank);
  at_least(c, "wl + burst + wtr_l after write in the group", std::max(own.write, own.update), data + t.wtr_l,
           now);
  for (const GroupHistory& any : groups_)
    at_least(c, "wl + burst + wtr_s after write", std::max(any.write, any.update), data + t.wtr_s, now);
  check_column(c, now);
  banks_[c.bank].read = group(c.bank).read = now;
}

void ProtocolChecker::check_store(const IssuedCommand& c, Cycle now) {
  at_least(c, "rcd_write after activate", banks_[c.bank].activate, config_.timing.rcd_write, now);
  check_column(c, now);
  banks_[c.bank].store = now;
  (c.command == Command::update ? group(c.bank).update : group(c.bank).write) = now;
}

void ProtocolChecker::check_bank_may_refresh(const IssuedCommand& c, unsigned bank, Cycle now) {
  const BankHistory& b = banks_[bank];
  if (b.open) violation(c, now, fmt::format("bank {} is open", bank));
  at_least(c, "rp before refresh", b.precharge, config_.timing.rp, now);
  at_least(c, "rc before refresh", b.activate, config_.timing.rc, now);
  at_least(c, "refresh of the bank before refresh", b.refresh, config_.refresh.per_bank_cycles, now);
  at_least(c, "rfc before refresh", any_refresh_, config_.refresh.all_bank_cycles, now);
}

void ProtocolChecker::check_refresh(const IssuedCommand& c, Cycle now) {
  if (config_.refresh.mode != RefreshMode::all_bank) violation(c, now, "all-bank refresh is not configured");
  for (unsigned b = 0; b < banks_.size(); ++b) check_bank_may_refresh(c, b, now);
  any_refresh_ = now;
  ++refreshes_;
}

void ProtocolChecker::check_refresh_bank(const IssuedCommand& c, Cycle now) {
  if (config_.refresh.mode != RefreshMode::per_bank) violation(c, now, "per-bank refresh is not configured");
  check_bank_may_refresh(c, c.bank, now);
  at_least(c, "rrd_s before per-bank refresh", std::max(any_activate_, any_refresh_bank_),
           config_.timing.rrd_s, now);
  const std::uint64_t turn = refreshes_ % banks_.size();
  if (c.bank != turn) violation(c, now, fmt::format("missed refresh: the turn is bank {}'s", turn));
  banks_[c.bank].refresh = any_refresh_bank_ = now;
  ++refreshes_;
}

// The n-th refresh is due at n intervals and may be one interval late (of all banks' refreshes).
void ProtocolChecker::check_refresh_not_missed(Cycle now) {
  if (config_.refresh.mode == RefreshMode::none) return;
  const auto interval = static_cast<Cycle>(config_.refresh.interval_cycles);
  const Cycle spacing =
      config_.refresh.mode == RefreshMode::per_bank ? interval / static_cast<Cycle>(banks_.size()) : interval;
  const Cycle latest = static_cast<Cycle>(refreshes_ + 1) * spacing + interval;
  if (now <= latest) return;
  IssuedCommand none;
  none.command = Command::refresh;
  violation(none, now, fmt::format("missed refresh: number {} was due by cycle {}", refreshes_ + 1, latest));
  ++refreshes_;  // report each once
}

void ProtocolChecker::finish(Tick at) { check_refresh_not_missed(static_cast<Cycle>(at / period_)); }

}  // namespace t3sim
