// Refresh: which banks are due, and what command brings them closer to it.
//
// A due bank takes no new activate or column command, is precharged as soon as timing allows, and refreshed.
// Nothing here needs events of its own: while a channel is idle nobody asks, and when traffic resumes the
// channel first asks for every command that would have been issued in between (DramQueue::catch_up).
#pragma once

#include <cstdint>

#include "memctrl/command.h"
#include "memctrl/timing.h"

namespace t3sim {

class RefreshEngine {
 public:
  struct Step {
    Tick at = kNever;
    Command command = Command::refresh;
    unsigned bank = 0;
  };

  RefreshEngine(const MemoryConfig& config, Tick period);

  // When the next refresh is due; kNever if there is none.
  Tick due() const { return due_; }
  // Banks that are due, as a mask. Only meaningful once due() has come.
  std::uint64_t due_banks() const { return due_banks_; }
  // The earliest command, at or after due(), that the due refresh needs by the rules of timing.
  Step next_step(const TimingState& timing) const;
  // A refresh command has been issued: the next one's turn.
  void refreshed();

 private:
  Tick due_ = kNever;
  std::uint64_t due_banks_;
  Tick interval_;
  bool per_bank_;
  unsigned banks_;
  unsigned turn_ = 0;  // bank that is next, when banks are refreshed one by one
};

}  // namespace t3sim
