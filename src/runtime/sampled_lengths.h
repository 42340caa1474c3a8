// Along which lengths a program is shortened for a sample, and by how much (runtime/sampling.h).
#pragma once

#include <vector>

#include "runtime/sampling.h"

namespace t3sim {

// How long runs may be: so many bytes together, but so many times the fewest steps of a length at least.
struct Effort {
  double short_run;
  std::uint64_t fewest_times = 1;
};

// First fewer waves, then shorter ones, until all runs together are short. Empty: all of it is simulated.
std::vector<SampledLength> lengths_of(const Config& config, const program::Program& full,
                                      const Effort& effort);

}  // namespace t3sim
