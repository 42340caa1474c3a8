// Options of one command, on top of Boost.Program_options: --help, and errors that name the nearest option.
#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <string>

#include "app/cli.h"

namespace t3sim {

// How a command is called.
struct Usage {
  std::string command;   // "run"
  std::string synopsis;  // "CONFIG.yaml [options]"
  std::string text;      // what it does, some lines
};

// `shown` gets a --help of its own; `operands` names positional arguments, which must also be options in
// `hidden`. Prints the help and returns nothing when it is asked for. Throws InputError for what is not
// allowed.
std::optional<boost::program_options::variables_map> parse_options(
    const Usage& usage, boost::program_options::options_description shown,
    const boost::program_options::options_description& hidden,
    const boost::program_options::positional_options_description& operands, const Arguments& arguments);

}  // namespace t3sim
