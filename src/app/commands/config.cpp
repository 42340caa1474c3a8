// t3sim config: the effective configuration, without running it.
#include <fmt/format.h>

#include "app/config_request.h"
#include "app/options.h"

namespace t3sim {
namespace po = boost::program_options;

int config_command(const Arguments& arguments) {
  ConfigRequest request("config");
  po::options_description shown("Options"), hidden;
  add_options(request, shown);
  hidden.add_options()("config", po::value(&request.file));
  po::positional_options_description operands;
  operands.add("config", 1);
  const auto values = parse_options(
      {"config", "[CONFIG.yaml|-] [--model NAME --layer NAME --tp N] [--machine NAME] [options]",
       "Prints the complete configuration that `t3sim run` would run with the same arguments, checked, with "
       "all\n"
       "includes and defaults in it: a file to keep, to change and to run.\n"},
      shown, hidden, operands, arguments);
  if (!values) return kDone;
  const LoadedConfig loaded = load_config(request);
  if (!loaded.note.empty()) fmt::print(stderr, "{}\n", loaded.note);
  if (!loaded.layer.empty()) fmt::print("# {}", loaded.layer);
  fmt::print("{}", config::write(loaded.config));
  return kDone;
}

}  // namespace t3sim
