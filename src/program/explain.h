// A program as text, without running it: arrays, streams and their commands, who waits for whom, bytes between GPUs,
// FLOPs.
#pragma once

#include <cstddef>
#include <string>

#include "program/program.h"

namespace t3sim::program {

// `most` commands of each stream of GPU 0 are listed.
std::string explain(const Program& program, std::size_t most = 24);

}  // namespace t3sim::program
