// The parts of `t3sim tune`.
#pragma once

#include "app/cli.h"

namespace t3sim::tune_commands {

int program(const Arguments& arguments);
int backends(const Arguments& arguments);

}  // namespace t3sim::tune_commands
