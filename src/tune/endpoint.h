// Endpoints of the message level from runs of the machine at cycle level (`t3sim tune endpoint`).
//
// A channel goes through some slices of one length in one way, with all that it waits for there already: the time of more
// of them, less the time of fewer, is that of a pass. Slices handed on from GPU to GPU and back show what lies between two
// passes beside the link: that is `deliver`. Links are wide here, so that they hold up nothing; the message level has its own.
#pragma once

#include "machine/config.h"
#include "message/config.h"

namespace t3sim::tune {

// Of all protocols. The machine says all that a run needs.
message::EndpointConfig endpoint(const Config& machine);

}  // namespace t3sim::tune
