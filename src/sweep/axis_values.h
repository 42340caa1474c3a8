// The values along one axis of a sweep: lists and ranges in the units of the key.
#pragma once

#include <string>
#include <vector>

#include "config/node.h"

namespace t3sim::sweep {

inline constexpr std::size_t kMostPoints = 1'000'000;

// `said` is what the sweep file says of the axis `path`:
//   [75 GB/s, 150 GB/s]                                  these
//   75 GB/s                                              this one
//   {from: 50 GB/s, to: 300 GB/s, step: 50 GB/s}         from, from + step, … up to `to`
//   {from: 64, to: 4096, points: 7, scale: log}          so many, equally far apart (scale: linear or log);
//                                                        both ends are among them
//   {…, multiple: 128}                                   each rounded to the nearest multiple
// Ranges are worked out in whole base units (bytes, bytes a second, picoseconds, hertz); values that rounding
// makes equal count once. Throws InputError. The values carry the place where they were said.
std::vector<config::Node> axis_values(const std::string& path, const config::Node& said);

}  // namespace t3sim::sweep
