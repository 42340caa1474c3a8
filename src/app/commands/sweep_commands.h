// t3sim sweep WHAT: each in a file of its own.
#pragma once

#include "app/cli.h"

namespace t3sim::sweep_commands {

int plan(const Arguments& arguments);
int run(const Arguments& arguments);
int work(const Arguments& arguments);
int status(const Arguments& arguments);
int plot(const Arguments& arguments);

// The directory of a sweep that none was named for.
std::string default_directory(const std::string& sweep_file);

}  // namespace t3sim::sweep_commands
