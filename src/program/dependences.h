// Faults that only show in values: who reads what nobody has written yet, and who writes what another one may read or
// write at the same time.
#pragma once

#include <cstdint>

#include "program/program.h"

namespace t3sim::program {

// How closely a program was looked at: tile by tile where launches say tiles; launches as wholes, where there would be
// too many steps; or not at all.
enum class Closeness : std::uint8_t { tiles, launches, none };

// Every read is of what the program has before or of what is always written before; two accesses to the same elements of
// which one writes are always one after the other (additions among themselves need not be). Throws InputError for the
// first fault in the text: one line with both commands and the rows and columns. `program` passes check().
Closeness check_dependences(const Program& program);

}  // namespace t3sim::program
