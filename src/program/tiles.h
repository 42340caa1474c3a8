// What a launch says tile by tile: order, waits, stores, sets.
#pragma once

#include "program/loops.h"
#include "program/views.h"

namespace t3sim::program {

// The tiles of a body in the order of its kernel.
std::vector<std::uint32_t> own_order(const Body& body);

// `op` beside where a kernel stores elements of `type` to: `add` is an update. Throws InputError, also for a type that GPUs
// cannot add to in memory (Flux, section 4.2: BF16 on A100 and H800).
Op evaluate_op(const config::Node& stores, DataType type);

// Fills order, waits, stores and sets of a launch's last phase, whose output is cut into tiles. Expressions can use tile (its number, row by row), row and
// column (of tiles), tile_rows and tile_columns (how many), tile_m and tile_n (its elements). Throws InputError.
void evaluate_tiles(const Context& context, Loops& loops, const config::Node& node, Launch& launch);

}  // namespace t3sim::program
