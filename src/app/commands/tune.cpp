// t3sim tune: derives, from runs at cycle level, what coarser levels need.
#include <fmt/format.h>

#include <cstdio>

#include "app/cli.h"
#include "app/commands/tune_commands.h"
#include "app/config_request.h"
#include "app/options.h"
#include "app/output_file.h"
#include "base/error.h"
#include "config/config.h"
#include "config/units.h"
#include "machine/required_keys.h"
#include "message/config.h"
#include "presets/machine.h"
#include "run/messages.h"
#include "sweep/files.h"
#include "tune/agreement.h"
#include "tune/endpoint.h"

namespace t3sim {
namespace po = boost::program_options;
namespace {

constexpr std::uint32_t kMostChannels = 512, kMostGpus = 4096;

struct TuneOptions {
  std::string what, machine, file, output;
  std::vector<std::string> overrides;
  bool check = false;
  std::string kinds = "all-reduce", shapes = "switch", gpus = "4", bytes = "4MiB";
  std::uint32_t channels = 8;
};

// What the file holds: a part of a configuration.
struct EndpointSection {
  message::EndpointConfig endpoint;
};
void describe(config::Visitor& v, EndpointSection& c) { v.section("endpoint", c.endpoint, ""); }
struct EndpointFile {
  EndpointSection message;
};
void describe(config::Visitor& v, EndpointFile& c) { v.section("message", c.message, ""); }

std::optional<TuneOptions> parse(const Arguments& arguments) {
  TuneOptions o;
  const Usage usage{
      "tune", "endpoint [CONFIG.yaml] [--machine NAME] [-o FILE]",
      "Derives the endpoints of gpus.model: message from runs of the machine at cycle level\n"
      "(docs/messages.md), and writes them as a part of a configuration, tied to the machine.\n\n"
      "tune program NAME looks for the fastest values of a program's knobs: see t3sim tune program "
      "--help. tune backends finds the fastest backend by operation, GPUs and bytes: see t3sim tune\n"
      "backends --help.\n"};
  po::options_description shown("Options"), hidden;
  shown.add_options()("machine", po::value(&o.machine)->value_name("NAME"),
                      "a machine by name (t3sim list machines)")(
      "set", po::value(&o.overrides)->composing()->value_name("path.to.key=value"),
      "override a key of the configuration; may be repeated")(
      "output,o", po::value(&o.output)->value_name("FILE"), "write it there, not to standard output");
  shown.add_options()("check", po::bool_switch(&o.check),
                      "instead, run collectives at both levels and print the times as CSV; with")(
      "kinds", po::value(&o.kinds)->value_name("a,b"), "  of these kinds (all-reduce)")(
      "shapes", po::value(&o.shapes)->value_name("a,b"), "  with links as ring, mesh or switch (switch)")(
      "gpus", po::value(&o.gpus)->value_name("a,b"), "  on so many GPUs (4)")(
      "bytes", po::value(&o.bytes)->value_name("a,b"), "  of so many bytes (4MiB)")(
      "channels", po::value(&o.channels)->value_name("N"), "  over so many channels (8)");
  hidden.add_options()("what", po::value(&o.what))("config", po::value(&o.file));
  po::positional_options_description operands;
  operands.add("what", 1).add("config", 1);
  if (!parse_options(usage, shown, hidden, operands, arguments)) return std::nullopt;
  if (o.what != "endpoint")
    throw InputError(fmt::format("tune: {}; allowed: endpoint, program, backends (see t3sim tune --help)",
                                 o.what.empty() ? "nothing named" : "\"" + o.what + "\" is not known"));
  if (o.file.empty() && o.machine.empty())
    throw InputError("tune endpoint: no machine named: --machine NAME or CONFIG.yaml");
  if (o.check && !o.output.empty())
    throw InputError("tune endpoint: -o FILE is of the endpoints: --check prints to standard output");
  check_output_file("tune endpoint", o.output, {"# Endpoints of gpus.model: message"});
  if (o.channels == 0 || o.channels > kMostChannels)
    throw InputError(
        fmt::format("tune endpoint: --channels {}: allowed: 1 to {}", o.channels, kMostChannels));
  return o;
}

Config load(const TuneOptions& o) {
  config::Document document =
      config::load_file(o.machine.empty() ? o.file : presets::machine_path(o.machine));
  if (!o.machine.empty() && !o.file.empty()) merge(document.root, config::load_file(o.file).root);
  for (const std::string& assignment : o.overrides) config::apply_override(document.root, assignment);
  Config config;
  const config::Sources sources = config::read(document.root, config);
  require_machine(config, sources, MachineUse::measured);
  if (o.check && !config.message.endpoint.sizes.empty()) check_endpoint(config, sources);
  return config;
}

std::vector<std::uint64_t> sizes_of(const std::string& text) {
  std::vector<std::uint64_t> sizes;
  for (const std::string& part : split_commas({text})) try {
      sizes.push_back(config::parse_quantity(config::kSize, part));
      if (sizes.back() == 0) throw std::invalid_argument("0 B is nothing to send");
    } catch (const std::invalid_argument& e) {
      throw InputError(fmt::format("tune endpoint: --bytes: {}", e.what()));
    }
  return sizes;
}

std::vector<std::uint32_t> gpus_of(const std::string& text) {
  std::vector<std::uint32_t> gpus;
  for (const std::string& part : split_commas({text})) try {
      const std::uint64_t count = config::parse_whole(part);
      if (count < 2 || count > kMostGpus)
        throw std::invalid_argument(fmt::format("allowed: 2 to {}", kMostGpus));
      gpus.push_back(static_cast<std::uint32_t>(count));
    } catch (const std::invalid_argument& e) {
      throw InputError(fmt::format("tune endpoint: --gpus: {}", e.what()));
    }
  return gpus;
}

message::Kind kind_named(const std::string& name) {
  for (const auto& named : names_of(message::Kind{}))
    if (named.name == name) return named.value;
  throw InputError(fmt::format("tune endpoint: --kinds: \"{}\" is no collective", name));
}

void print_agreement(const Config& machine, const message::EndpointConfig& endpoint,
                     const tune::AgreementCase& c, const std::string& shape) {
  const tune::Agreement a = tune::compare_levels(machine, endpoint, c);
  fmt::print("{},{},{},{},{},{},{:.3f},{:.3f},{:.2f},{},{},{},{:.1f}\n", to_string(c.collective.kind),
             to_string(c.collective.algorithm), c.collective.gpus, c.collective.bytes, shape, c.channels,
             a.cycle_us, a.message_us, 100 * a.error(), a.cycle_bytes, a.message_bytes, a.links_that_differ,
             a.host_seconds);
  std::fflush(stdout);
}

struct Check {
  message::Collective collective;
  std::string shape;
  Config machine;
};

// All that is asked for, before the first run: what is wrong is said at once.
std::vector<Check> checks_of(const TuneOptions& o, const Config& machine) {
  std::vector<Check> checks;
  for (const std::string& kind : split_commas({o.kinds}))
    for (const std::string& shape : split_commas({o.shapes}))
      for (const std::uint32_t gpus : gpus_of(o.gpus))
        for (const std::uint64_t bytes : sizes_of(o.bytes)) {
          message::Entry entry;
          entry.kind = kind_named(kind);
          entry.bytes = bytes;
          checks.push_back(
              {message::collective_of(entry, gpus, 0), shape, tune::with_topology(machine, shape, gpus)});
        }
  return checks;
}

void check(const TuneOptions& o, const Config& machine) {
  const std::vector<Check> checks = checks_of(o, machine);
  const message::EndpointConfig endpoint =
      machine.message.endpoint.sizes.empty() ? tune::endpoint(machine) : machine.message.endpoint;
  fmt::print(
      "kind,algorithm,gpus,bytes,shape,channels,cycle_us,message_us,error_pct,cycle_bytes,message_bytes,"
      "links_that_differ,cpu_s\n");
  for (const Check& c : checks)
    print_agreement(c.machine, endpoint, {c.collective, message::ProtocolName::simple, o.channels}, c.shape);
}

}  // namespace

int tune_command(const Arguments& arguments) {
  if (!arguments.empty() && arguments.front() == "program")
    return tune_commands::program(Arguments(arguments.begin() + 1, arguments.end()));
  if (!arguments.empty() && arguments.front() == "backends")
    return tune_commands::backends(Arguments(arguments.begin() + 1, arguments.end()));
  const std::optional<TuneOptions> options = parse(arguments);
  if (!options) return kDone;
  const Config machine = load(*options);
  if (options->check) {
    check(*options, machine);
    return kDone;
  }
  const EndpointFile file{{tune::endpoint(machine)}};
  const std::string text =
      "# Endpoints of gpus.model: message, by t3sim tune endpoint: derived, not to be changed by hand.\n" +
      config::write(file);
  if (options->output.empty())
    fmt::print("{}", text);
  else
    sweep::write_whole(options->output, text);
  return kDone;
}

}  // namespace t3sim
