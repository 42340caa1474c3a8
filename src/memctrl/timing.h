// Bank timing: the minimum distance between any two commands, derived once from the configuration, and the
// state that says when each bank may next receive what.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "memctrl/command.h"
#include "memctrl/config.h"
#include "sim/time.h"

namespace t3sim {

// Which later commands a rule holds back: those to the same bank, to the same bank group, or to the channel.
enum class Scope : std::uint8_t { bank, group, channel };
inline constexpr int kScopes = 3;

// Later commands fall into four classes with the same rules: refreshes wait like activates, updates like
// writes.
enum class Next : std::uint8_t { activate, precharge, read, write };
inline constexpr int kNexts = 4;
inline constexpr bool is_column(Next next) { return next == Next::read || next == Next::write; }
inline constexpr bool is_column(Command c) {
  return c == Command::read || c == Command::write || c == Command::update;
}

inline Next next_class(Command c) {
  constexpr Next classes[kCommands] = {Next::activate, Next::precharge, Next::read,    Next::write,
                                       Next::write,    Next::activate,  Next::activate};
  return classes[static_cast<int>(c)];
}

// All rules, in memory cycles; 0 where there is none.
class TimingTable {
 public:
  explicit TimingTable(const MemoryConfig& config);

  std::uint32_t distance(Scope scope, Command previous, Next next) const {
    return distance_[static_cast<int>(scope)][static_cast<int>(previous)][static_cast<int>(next)];
  }
  std::uint32_t four_activates() const { return four_activates_; }
  // From the read command to the end of its data.
  std::uint32_t read_to_data_end() const { return read_to_data_end_; }

 private:
  void add(Scope scope, Command previous, Next next, std::uint32_t cycles);
  void column_rules(const DramTiming& t);
  void row_rules(const DramTiming& t);
  void refresh_rules(const MemoryConfig& config);

  std::uint32_t distance_[kScopes][kCommands][kNexts] = {};
  std::uint32_t four_activates_;
  std::uint32_t read_to_data_end_;
};

// When may which command follow those issued so far? Times in ticks; a period of 1 makes them cycles.
class TimingState {
 public:
  TimingState(const MemoryConfig& config, const TimingTable& table, Tick period);

  unsigned banks() const { return static_cast<unsigned>(banks_.size()); }
  unsigned group(unsigned bank) const { return banks_[bank].group; }
  bool open(unsigned bank) const { return banks_[bank].open; }
  std::uint32_t row(unsigned bank) const { return banks_[bank].row; }

  // Earliest time by all rules. Whether the bank's state allows the command is the caller's business.
  Tick earliest(Command command, unsigned bank) const;
  // Parts of the above: by the rules of the same bank, and by those of its group and the channel.
  Tick earliest_in_bank(Next next, unsigned bank) const { return banks_[bank].ready[static_cast<int>(next)]; }
  Tick earliest_in_group(Next next, unsigned group) const {
    const int n = static_cast<int>(next);
    return std::max(groups_[group][n], channel_[n]);
  }

  // Records a column command: read, write or update.
  void issue_column(Command command, unsigned bank, Tick at) {
    const Distances& distances = distances_[static_cast<std::size_t>(command)];
    last_ = at;
    Bank& b = banks_[bank];
    hold(b.ready, distances.bank, Next::precharge, at);
    Ready& group = groups_[b.group];
    for (const Next next : {Next::read, Next::write}) {
      hold(group, distances.group, next, at);
      hold(channel_, distances.channel, next, at);
    }
  }
  // Records any other command. `row` counts for an activate only.
  void issue_row(Command command, unsigned bank, std::uint32_t row, Tick at);

 private:
  // By class of the next command.
  using Ready = std::array<Tick, kNexts>;
  // How long a command holds back later ones, in ticks: 0 also where there is no rule, as no command comes before the last one.
  struct alignas(64) Distances {
    Ready bank{}, group{}, channel{};
  };
  struct alignas(64) Bank {
    Ready ready{};
    std::uint32_t row = 0;
    std::uint8_t group = 0;
    bool open = false;
  };

  static void hold(Ready& ready, const Ready& distance, Next next, Tick at) {
    Tick& time = ready[static_cast<std::size_t>(next)];
    time = std::max(time, at + distance[static_cast<std::size_t>(next)]);
  }
  static void check(Command command, Scope scope, Next next);
  void activated(Bank& bank, std::uint32_t row, Tick at);

  std::vector<Bank> banks_;
  std::vector<Ready> groups_;
  Tick last_ = 0;  // command: none comes before it, whatever the rules
  Tick four_activates_;
  Ready channel_{};
  std::array<Tick, 4> last_activates_{};  // ring
  std::uint32_t activates_ = 0;
  std::array<Distances, kCommands> distances_{};
};

}  // namespace t3sim
