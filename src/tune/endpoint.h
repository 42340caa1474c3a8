// Endpoints of the message level from runs of the machine at cycle level (`t3sim tune endpoint`).
//
// A channel goes through some slices of one length in one way, with all that it waits for there already: the time of more
// of them, less the time of fewer, is that of a pass. Slices handed on from GPU to GPU and back show what lies between two
// passes beside the link: that is `deliver`. Links are wide here, so that they hold up nothing; the message level has its own.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/config.h"
#include "message/config.h"

namespace t3sim::tune {

// What is derived: times of slices of so many bytes, ascending, by protocol.
struct TuneScope {
  std::vector<std::uint64_t> sizes{512, 4096, 16384, 65536, 262144, 1048576};
  std::vector<message::ProtocolName> protocols{message::ProtocolName::simple, message::ProtocolName::ll,
                                               message::ProtocolName::ll128};
  bool warm = true;  // false: warm arrays take as long as cold ones
  bool full = true;  // false: a full L2 is as an empty one
};

// The machine says all that a run needs.
message::EndpointConfig endpoint(const Config& machine, const TuneScope& scope = {});

}  // namespace t3sim::tune
