// Which keys of a machine a command needs: what has no default (required() in the schemas) must be said by
// the configuration, but only where it is used.
#pragma once

#include "machine/config.h"

namespace t3sim {

enum class MachineUse : std::uint8_t {
  run,       // of schemes with a collective
  kernel,    // of a kernel alone
  memory,    // the section `memory` alone (t3sim memory)
  messages,  // collectives alone, over its links
  measured,  // one GPU and its links, against measurements (t3sim validate measured)
};

// Throws InputError with all that is missing.
void require_machine(const Config& config, const config::Sources& sources, MachineUse use);

}  // namespace t3sim
