// The command that runs one point of a sweep by itself.
#pragma once

#include <string>
#include <vector>

#include "machine/config.h"
#include "sweep/sweep_file.h"

namespace t3sim::sweep {

// The keys that an assignment sets: of a section, those below it.
std::vector<std::string> leaf_paths(const Assignment& assignment);

// `t3sim run BASE --set key=value …`, quoted for a shell; `set` is what the point says besides the sweep
// file's own `set` and `schemes`.
std::string point_command(const SweepFile& sweep, const Step& set, const Config& config);

// A word as a shell reads it back.
std::string shell_word(const std::string& text);

}  // namespace t3sim::sweep
