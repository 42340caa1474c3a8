// What a command is to be run on: a file, a machine and a layer by name, keys on the command line; in this order, later
// ones win.
#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/collective_request.h"
#include "machine/config.h"

namespace t3sim {

struct ConfigRequest {
  explicit ConfigRequest(std::string of_command) : command(std::move(of_command)) {}

  std::string command;  // for messages
  std::string file;     // "-": standard input
  std::string machine, model, layer;
  std::string program;                  // instead of schemes: a name or a file
  std::vector<std::string> parameters;  // of it, "name=value"
  std::optional<std::uint32_t> gpus, tokens;
  std::vector<std::string> overrides;  // "path.to.key=value"
  std::string graph, chakra;           // instead of schemes: a graph of operations, a file; traces
  CollectiveRequest collective;        // instead of schemes, as messages
  std::vector<std::string> schemes;    // instead of the configuration's; "all"
};

// Adds --machine, --program, --parameter, --model, --layer, --tp, --tokens, --set and --scheme. `request` outlives the parsing.
void add_options(ConfigRequest& request, boost::program_options::options_description& options);

// A configuration with all that was said about it.
struct LoadedConfig {
  Config config;
  config::Sources sources;
  std::vector<config::InputFile> files;
  std::string layer;  // what --layer means, for people; empty without
  std::string note;   // what is done in another way than was asked for, and why; empty: nothing
};

// Reads and checks it. Throws InputError.
LoadedConfig load_config(const ConfigRequest& request);

// "a,b" and repeated options alike.
std::vector<std::string> split_commas(const std::vector<std::string>& texts);

}  // namespace t3sim
