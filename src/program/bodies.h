// What kernels have in common, whatever they compute: an output that is cut into tiles, and what they read.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernel/matrix.h"
#include "program/program.h"

namespace t3sim::program {

const View& output_of(const Body& body);
// The output in tiles; of a sum, which is not cut, none.
TileGrid grid_of(const Body& body);
// The elements of the output that a tile is.
View tile_of(const Body& body, std::uint32_t tile);
// What all workgroups may read.
std::vector<View> inputs_of(const Body& body);
// "c = a * b": what the kernel does with which views. `text` says a view.
std::string describe(const Body& body, const std::function<std::string(const View&)>& text);

}  // namespace t3sim::program
