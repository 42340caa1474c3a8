// The same collective at both levels: what `t3sim validate messages` and the tests compare.
#pragma once

#include <string>
#include <vector>

#include "machine/config.h"
#include "message/config.h"

namespace t3sim::tune {

struct AgreementCase {
  message::Collective collective;
  message::ProtocolName protocol = message::ProtocolName::simple;
  std::uint32_t channels = 8;
};

struct Agreement {
  double cycle_us = 0, message_us = 0;               // without launch
  std::uint64_t cycle_bytes = 0, message_bytes = 0;  // of all links
  std::size_t links_that_differ = 0;                 // in their bytes
  double host_seconds = 0;                           // of the cycle level
  double error() const { return message_us / cycle_us - 1; }
};

// The machine with its links in another shape: "ring" (that forwards), "mesh" or "switch". Throws InputError.
Config with_topology(Config machine, const std::string& shape, std::uint32_t gpus);

// `machine`: with its topology. Throws what a run throws.
Agreement compare_levels(const Config& machine, const message::EndpointConfig& endpoint,
                         const AgreementCase& c);

}  // namespace t3sim::tune
