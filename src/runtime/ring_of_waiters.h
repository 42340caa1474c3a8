// Which commands of a run that does not go on wait for each other.
#pragma once

#include <string>
#include <vector>

#include "program/program.h"
#include "runtime/command_processor.h"

namespace t3sim {

// "these wait for each other, each for the next: ..." with GPU, command and line of each; empty where there is no such ring.
// `times`: by GPU and command, as they are when nothing moves any more.
std::string ring_of_waiters(const program::Program& program,
                            const std::vector<std::vector<CommandTimes>>& times);

}  // namespace t3sim
