// What `t3sim memory` and `t3sim validate memory` share.
#pragma once

#include <string>
#include <vector>

#include "memctrl/config.h"

namespace t3sim {

// The section `memory` of a configuration file, overridden and checked. Throws InputError.
MemoryConfig load_memory(const std::string& file, const std::vector<std::string>& overrides);

}  // namespace t3sim
