// Independent protocol checker: watches a channel's command stream and says what the standard would not
// allow. It shares no code and no table with the controller; it reads the configured timings and nothing
// else.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "memctrl/command.h"
#include "memctrl/config.h"

namespace t3sim {

class ProtocolChecker final : public CommandObserver {
 public:
  // `period`: ticks a memory cycle.
  ProtocolChecker(const MemoryConfig& config, Tick period);

  void command(const IssuedCommand& issued) override;
  // No command comes any more; `at` is the end of the run. Finds refreshes that never came.
  void finish(Tick at);

  std::uint64_t commands() const { return commands_; }
  std::uint64_t violation_count() const { return violation_count_; }
  // The first hundred, as "cycle 123: activate bank 4 row 7: rc: 46 cycles after activate, 47 needed".
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  using Cycle = std::int64_t;
  static constexpr Cycle kLongAgo = -1'000'000'000;

  struct BankHistory {
    bool open = false;
    std::uint32_t row = 0;
    Cycle activate = kLongAgo, precharge = kLongAgo, read = kLongAgo, store = kLongAgo, refresh = kLongAgo;
  };
  struct GroupHistory {
    Cycle activate = kLongAgo, read = kLongAgo, write = kLongAgo, update = kLongAgo;
  };

  void check_bus(const IssuedCommand& c, Cycle now);
  void check_activate(const IssuedCommand& c, Cycle now);
  void check_precharge(const IssuedCommand& c, Cycle now);
  void check_read(const IssuedCommand& c, Cycle now);
  void check_store(const IssuedCommand& c, Cycle now);
  void check_column(const IssuedCommand& c, Cycle now);
  void check_data_bus(const IssuedCommand& c, Cycle now);
  void check_refresh(const IssuedCommand& c, Cycle now);
  void check_refresh_bank(const IssuedCommand& c, Cycle now);
  void check_bank_may_refresh(const IssuedCommand& c, unsigned bank, Cycle now);
  void check_refresh_not_missed(Cycle now);

  void at_least(const IssuedCommand& c, const char* rule, Cycle since, std::int64_t needed, Cycle now);
  void violation(const IssuedCommand& c, Cycle now, const std::string& what);
  GroupHistory& group(unsigned bank) { return groups_[bank / config_.banks_per_group]; }

  MemoryConfig config_;
  Tick period_;
  std::vector<BankHistory> banks_;
  std::vector<GroupHistory> groups_;
  std::deque<Cycle> activates_;  // the last four
  Cycle any_activate_ = kLongAgo, any_refresh_ = kLongAgo, any_refresh_bank_ = kLongAgo;
  Cycle row_bus_ = kLongAgo, column_bus_ = kLongAgo;
  Cycle data_end_ = kLongAgo;  // of the data bus
  bool data_was_read_ = false;
  std::uint64_t refreshes_ = 0;
  std::uint64_t commands_ = 0, violation_count_ = 0;
  std::vector<std::string> violations_;
};

}  // namespace t3sim
