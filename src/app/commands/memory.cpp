// t3sim memory: replays a memory trace on the memory of a configuration.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/commands/memory_commands.h"
#include "app/options.h"
#include "config/config.h"
#include "machine/config.h"
#include "machine/required_keys.h"
#include "memctrl/address_map.h"
#include "memctrl/replay.h"

namespace t3sim {
namespace po = boost::program_options;
namespace {

struct MemoryOptions {
  std::string trace, config_file;
  std::vector<std::string> overrides;
  bool json = false, check = false;
};

std::optional<MemoryOptions> parse(const Arguments& arguments) {
  MemoryOptions options;
  const Usage usage{
      "memory", "TRACE[.gz] --config CONFIG.yaml [options]",
      "Replays a memory trace: lines `cycle 0xADDRESS R|W|U` of 64 bytes each (U: op-and-store),\n"
      "injected in order, at most one per cycle, none before its cycle. Latency counts from\n"
      "acceptance. Only the section `memory` of the configuration counts.\n"};
  po::options_description shown("Options");
  shown.add_options()("config", po::value(&options.config_file)->value_name("CONFIG.yaml"),
                      "the memory, for instance configs/memory/hbm2-reference.yaml")(
      "set", po::value(&options.overrides)->composing()->value_name("path.to.key=value"),
      "override a key of the configuration; may be repeated")("json", po::bool_switch(&options.json),
                                                              "print one JSON object")(
      "check", po::bool_switch(&options.check), "watch every command with the independent protocol checker");
  po::options_description hidden;
  hidden.add_options()("trace", po::value(&options.trace));
  po::positional_options_description operands;
  operands.add("trace", 1);
  const auto values = parse_options(usage, shown, hidden, operands, arguments);
  if (!values) return std::nullopt;
  if (options.trace.empty()) throw InputError("memory: no trace named (see t3sim memory --help)");
  if (options.config_file.empty())
    throw InputError("memory: no memory named: --config CONFIG.yaml (see t3sim memory --help)");
  return options;
}

void print_json(const ReplayResult& r, bool check) {
  nlohmann::ordered_json json{{"cycles", r.cycles},
                              {"bandwidth_GBps", r.bandwidth_GBps},
                              {"avg_read_latency_ns", r.avg_read_latency_ns},
                              {"p50_read_latency_ns", r.p50_read_latency_ns},
                              {"p99_read_latency_ns", r.p99_read_latency_ns},
                              {"row_hit_rate", r.row_hit_rate},
                              {"requests", r.requests},
                              {"host_cpu_seconds", r.host_cpu_seconds}};
  if (check) {
    json["commands_checked"] = r.commands_checked;
    json["violations"] = r.violation_count;
  }
  fmt::print("{}\n", json.dump());
}

void print_text(const ReplayResult& r, const MemoryConfig& memory, bool check) {
  const double peak = memory.peak_bytes_per_second() / 1e9;
  fmt::print("requests            {}\n", r.requests);
  fmt::print("cycles              {}\n", r.cycles);
  fmt::print("bandwidth           {:.2f} GB/s, {:.1f} % of the peak of {:.1f}\n", r.bandwidth_GBps,
             100 * r.bandwidth_GBps / peak, peak);
  fmt::print("read latency        mean {:.1f} ns, p50 {:.0f}, p99 {:.0f}\n", r.avg_read_latency_ns,
             r.p50_read_latency_ns, r.p99_read_latency_ns);
  fmt::print("row hits            {:.2f} %\n", 100 * r.row_hit_rate);
  fmt::print("activates           {}\nrefreshes           {}\n", r.activates, r.refreshes);
  fmt::print("host CPU            {:.3f} s\n", r.host_cpu_seconds);
  if (check) fmt::print("commands checked    {}, {} violations\n", r.commands_checked, r.violation_count);
}

}  // namespace

MemoryConfig load_memory(const std::string& file, const std::vector<std::string>& overrides) {
  config::Document document = config::load_file(file);
  for (const std::string& assignment : overrides) config::apply_override(document.root, assignment);
  Config config;
  const config::Sources sources = config::read(document.root, config);
  require_machine(config, sources, MachineUse::memory);
  try {
    config.memory.validate();
    const AddressMap map(config.memory, 1);
  } catch (const InputError& e) {
    throw sources.error("memory", e.what());
  }
  return config.memory;
}

int memory_command(const Arguments& arguments) {
  const std::optional<MemoryOptions> options = parse(arguments);
  if (!options) return kDone;
  const MemoryConfig memory = load_memory(options->config_file, options->overrides);
  const std::vector<TraceRequest> trace = read_memory_trace(options->trace);
  if (trace.empty()) throw InputError(options->trace + ": has no request");
  const ReplayResult result = replay(memory, trace, options->check);
  if (options->json)
    print_json(result, options->check);
  else
    print_text(result, memory, options->check);
  for (const std::string& violation : result.violations) fmt::print(stderr, "{}\n", violation);
  return result.violation_count == 0 ? kDone : kFailed;
}

}  // namespace t3sim
