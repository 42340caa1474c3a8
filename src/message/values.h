// Plays a plan through without time, on numbers: is what it leaves behind what the collective promises?
//
// Every block that a GPU brings has a random number of 64 bits; sums are modulo 2^64. What is missing, twice, at the wrong
// place or of the wrong GPU gives another number, but for a chance of one in 2^64. Messages under way between two GPUs
// under a tag are two at most, as with the fewest slots that a protocol has: a plan that needs more waits for ever.
#pragma once

#include <cstdint>
#include <string>

#include "message/plan.h"

namespace t3sim::message {

struct Played {
  std::uint64_t messages = 0;
  std::uint64_t elements = 0;  // blocks that the collective promises, and that were compared
};

// Throws InputError for a plan that is not the collective it says it is, or that waits for ever; the message names a GPU.
Played play(const Collective& collective, const Plan& plan);

}  // namespace t3sim::message
