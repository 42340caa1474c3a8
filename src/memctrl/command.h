// The commands on a channel's command bus, and who may listen to them.
#pragma once

#include <cstdint>

#include "sim/time.h"

namespace t3sim {

enum class Command : std::uint8_t { activate, precharge, read, write, update, refresh, refresh_bank };
inline constexpr int kCommands = 7;

inline const char* to_string(Command c) {
  constexpr const char* names[kCommands] = {"activate", "precharge", "read",        "write",
                                            "update",   "refresh",   "refresh_bank"};
  return names[static_cast<int>(c)];
}

// A command as it appears on the bus. `bank` means nothing for an all-bank refresh; `row` and `column` are
// those of the row opened or accessed.
struct IssuedCommand {
  Tick at = 0;
  Command command = Command::activate;
  std::uint8_t bank = 0;
  std::uint16_t column = 0;
  std::uint32_t row = 0;
};

// Sees every command in order of time. None attached: no cost but a test.
class CommandObserver {
 public:
  virtual ~CommandObserver() = default;
  virtual void command(const IssuedCommand& issued) = 0;
};

}  // namespace t3sim
