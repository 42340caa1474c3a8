// t3sim validate memory
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/commands/memory_commands.h"
#include "app/commands/validate_commands.h"
#include "app/options.h"
#include "base/error.h"
#include "results/manifest.h"
#include "results/output_directory.h"
#include "run/check_config.h"
#include "validation/membench.h"
#include "validation/memory_validation.h"

namespace t3sim::validate_commands {
namespace po = boost::program_options;

namespace {

std::vector<Config> read_machines(const std::vector<std::string>& files) {
  std::vector<Config> machines;
  for (const std::string& file : files) {
    config::Document document = config::load_file(file);
    Config config;
    const config::Sources sources = config::read(document.root, config);
    config.schemes = {shipped::kernel};
    config.workload.has_gemm = false;
    config.workload.generated = false;
    check_config(config, sources);
    machines.push_back(config);
  }
  return machines;
}

// Every membench*.csv of the data.
MembenchValidation run_membench(const std::string& data, const std::vector<Config>& machines, bool quiet) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(data)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("membench") && name.ends_with(".csv")) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  Progress progress(Progress::mode_for(quiet));
  return validate_membench(files, machines, progress);
}

void write_files(OutputDirectory& directory, const MemoryValidation& validation,
                 const MembenchValidation* membench) {
  directory.write("summary.csv", memory_summary_csv(validation));
  directory.write("speed.csv", memory_speed_csv(validation));
  directory.write("summary.md", memory_markdown(validation));
  if (membench) {
    directory.write("membench.csv", membench_csv(*membench));
    directory.write("membench.md", membench_markdown(*membench));
  }
  directory.commit(manifest_base({}));
}

}  // namespace

int memory(const Arguments& arguments) {
  std::string data = "validation/memory/data", config = "configs/memory/hbm2-reference.yaml", output;
  std::vector<std::string> overrides;
  std::vector<std::string> machine_files{"configs/systems/h100.yaml", "configs/systems/h200.yaml"};
  unsigned repeats = 5;
  bool traces_only = false, quiet = false;
  po::options_description shown("Options"), hidden;
  shown.add_options()("data", po::value(&data)->default_value(data)->value_name("DIR"),
                      "results.csv of the reference simulators, and their traces")(
      "config", po::value(&config)->default_value(config)->value_name("CONFIG.yaml"), "the memory")(
      "set", po::value(&overrides)->composing()->value_name("path.to.key=value"),
      "override a key of the configuration; may be repeated")(
      "repeats", po::value(&repeats)->default_value(repeats), "times that each trace's speed is measured")(
      "machine", po::value(&machine_files)->composing()->value_name("CONFIG.yaml"),
      "machine for the microbenchmarks measured on its gpu.name; may be repeated")(
      "traces-only", po::bool_switch(&traces_only), "leave out the microbenchmarks (minutes)")(
      "quiet", po::bool_switch(&quiet), "no progress")(
      "output,o", po::value(&output)->value_name("DIR"),
      "write summary.csv, speed.csv, summary.md, membench.csv and membench.md there");
  const auto values =
      parse_options({"validate memory", "[options]",
                     "Replays the traces that other memory simulators were given, with the protocol\n"
                     "checker on, and sets the results beside theirs and beside closed forms.\n"},
                    shown, hidden, {}, arguments);
  if (!values) return kDone;
  const MemoryConfig channel = load_memory(config, overrides);
  const std::vector<Config> machines = traces_only ? std::vector<Config>() : read_machines(machine_files);
  std::optional<OutputDirectory> directory;
  if (!output.empty()) directory.emplace(output);  // before the work: it may be refused
  const MemoryValidation validation = validate_memory(channel, data, repeats);
  fmt::print("{}", memory_markdown(validation));
  for (const std::string& v : validation.violations) fmt::print(stderr, "{}\n", v);
  std::optional<MembenchValidation> membench;
  if (!traces_only) {
    membench = run_membench(data, machines, quiet);
    fmt::print("\n{}", membench_markdown(*membench));
  }
  if (directory) write_files(*directory, validation, membench ? &*membench : nullptr);
  return validation.passed() && (!membench || membench->passed()) ? kDone : kFailed;
}

}  // namespace t3sim::validate_commands
