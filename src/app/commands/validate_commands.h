// The parts of `t3sim validate`.
#pragma once

#include "app/cli.h"

namespace t3sim::validate_commands {

int memory(const Arguments& arguments);
int measured(const Arguments& arguments);
int paper(const Arguments& arguments);
int ficco(const Arguments& arguments);
int flux(const Arguments& arguments);

}  // namespace t3sim::validate_commands
