// Whether the links of a machine lead to where a program sends.
#pragma once

#include "machine/config.h"
#include "program/program.h"

namespace t3sim {

// Throws InputError for the first command in the text that sends from a GPU to another one that the topology does not lead
// to: copies, stores, signals, and neighbours of a collective's ring; or whose kernel stores where there is no peer access. Barriers need no links (runtime/command_processor.h).
void check_routes(const Config& config, const program::Program& program);

}  // namespace t3sim
