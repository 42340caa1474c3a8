// A collective named on the command line: `t3sim run --machine NAME --collective all-reduce --bytes 64MiB`.
#pragma once

#include <boost/program_options.hpp>
#include <string>

#include "config/load.h"

namespace t3sim {

struct CollectiveRequest {
  std::string kind;  // empty: none
  std::string bytes, algorithm, protocol, channels, gpus;
  std::string backend, table;  // by a library (docs/backends.md); of `auto`, the table
};

// `request` outlives the parsing.
void add_options(CollectiveRequest& request, boost::program_options::options_description& options);
// By a backend it is a graph of one operation: its text as YAML.
config::Node graph_of(const CollectiveRequest& request);
// Makes it what the configuration runs, as messages. Throws InputError for options that need --collective.
void apply(const CollectiveRequest& request, const std::string& command, config::Node& root);

}  // namespace t3sim
