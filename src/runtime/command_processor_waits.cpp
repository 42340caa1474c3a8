// What hosts and streams wait for, for a stuck-report.
#include <fmt/format.h>

#include "base/number.h"
#include "runtime/command_processor.h"

namespace t3sim {

using program::SignalWait;
using program::SyncSignal;
using program::WaitEvent;
using program::WaitSignal;

std::vector<std::string> CommandProcessor::waits() const {
  std::vector<std::string> lines;
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    if (streams_[s].queue.empty()) continue;
    lines.push_back(fmt::format("GPU {}, stream {}: {}", rank_, program_.gpus[rank_].streams[s],
                                wait_of(streams_[s].queue.front())));
  }
  if (next_ < commands_.size() && host_carries_out(commands_[next_].action))
    lines.push_back(fmt::format("GPU {}, host: {}", rank_, wait_of(narrow<std::uint32_t>(next_))));
  return lines;
}

std::string CommandProcessor::wait_of(std::uint32_t number) const {
  const program::Command& c = commands_[number];
  const std::string where = fmt::format("{} ({}:{})", c.name, c.place.file, c.place.line);
  const auto of_word = [&](const SignalWait& wait) {
    return fmt::format("{}[{}] to be {}; it is {}", program_.signals[wait.word.signals].name, wait.word.index,
                       wait.value, signals_.value(wait.word));
  };
  if (const auto* wait = std::get_if<WaitSignal>(&c.action))
    return where + " waits for " + of_word(wait->wait);
  if (const auto* wait = std::get_if<SyncSignal>(&c.action))
    return where + " waits for " + of_word(wait->wait);
  if (const auto* wait = std::get_if<WaitEvent>(&c.action))
    return where + " waits for event " + program_.gpus[rank_].events[wait->event];
  if (std::holds_alternative<program::Barrier>(c.action)) return where + " waits for other GPUs to come";
  if (std::holds_alternative<program::Collective>(c.action))
    return where + (streams_[c.stream].begun ? " runs: its other GPUs have not all come" : " has not begun");
  return where + (times_[number].begun == kNever ? " has not begun" : " is not done");
}

}  // namespace t3sim
