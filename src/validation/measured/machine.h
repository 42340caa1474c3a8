// The machine as the models of measured timings see it, taken from one configuration.
#pragma once

#include "machine/config.h"
#include "validation/measured/estimate/channel_model.h"

namespace t3sim {

struct MeasuredMachine {
  Config config;

  double link_Bps() const;        // payload of 128 B stores over a GPU's links, each way
  double copy_link_Bps() const;   // of a copy engine's packets
  double load_latency_s() const;  // of a load that misses the L2
  double l2_latency_s() const;    // of one that hits
  ChannelMachine channels() const;
};

inline double in_seconds(std::uint64_t ps) { return static_cast<double>(ps) * 1e-12; }

// Throws InputError. `overrides`: as of --set.
MeasuredMachine load_machine(const std::string& file, const std::vector<std::string>& overrides);

}  // namespace t3sim
