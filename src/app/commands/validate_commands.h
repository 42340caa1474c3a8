// The parts of `t3sim validate`.
#pragma once

#include "app/cli.h"

namespace t3sim::validate_commands {

int memory(const Arguments& arguments);
int measured(const Arguments& arguments);
int paper(const Arguments& arguments);
int ficco(const Arguments& arguments);
int flux(const Arguments& arguments);
int rivals(const Arguments& arguments);
int mcr_dl(const Arguments& arguments);
int fused_operators(const Arguments& arguments);

}  // namespace t3sim::validate_commands
