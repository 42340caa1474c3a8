// What a command reads and writes of arrays, as a whole.
#pragma once

#include <vector>

#include "program/program.h"

namespace t3sim::program {

struct Access {
  View view;
  bool writes = false;
  bool adds = false;  // an addition: commutes with others
};

// Of a launch whose tiles go elsewhere, without what they store there: `targets` has that.
std::vector<Access> accesses_of(const Action& action);

// Where tiles go that do not go to their place in the output, a rectangle for each.
std::vector<Access> targets_of(const Program& program, const Launch& launch);
// Of one tile; false if it goes to its own place.
bool target_of(const Program& program, const Launch& launch, std::uint32_t tile, Access& access);

// By array: does any command of any GPU write it?
std::vector<bool> written_arrays(const Program& program);

}  // namespace t3sim::program
