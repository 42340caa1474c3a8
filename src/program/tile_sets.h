// The tiles of a launch, those together that wait for the same words, set the same ones and store into the same memory.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.h"
#include "program/writes.h"

namespace t3sim::program {

struct TileSet {
  std::vector<std::uint32_t> tiles;  // ascending
  std::vector<SignalWait> waits;
  std::vector<SignalSet> sets;  // of each tile
  std::vector<Access> accesses;
};

std::vector<TileSet> tile_sets(const Program& program, const Launch& launch);

}  // namespace t3sim::program
