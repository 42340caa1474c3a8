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
// Of all phases of a launch; of one of its tiles: the body, and the tile's number in it.
std::uint32_t tiles_of(const Launch& launch);
struct BodyTile {
  const Body& body;
  std::uint32_t tile;
};
BodyTile body_tile(const Launch& launch, std::uint32_t tile);
View tile_of(const Launch& launch, std::uint32_t tile);
// The GPU that the tile's stores go to.
std::uint32_t target_gpu(const Launch& launch, std::uint32_t tile);
// f(body) for each phase.
void each_body(const Launch& launch, const std::function<void(const Body&)>& f);
// "c = a * b": what the kernel does with which views. `text` says a view.
std::string describe(const Body& body, const std::function<std::string(const View&)>& text);

}  // namespace t3sim::program
