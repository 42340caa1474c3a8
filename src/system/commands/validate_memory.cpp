// t3sim validate memory
#include <fmt/format.h>

#include "sim/error.h"
#include "system/cli/options.h"
#include "system/commands/memory_commands.h"
#include "system/commands/validate_commands.h"
#include "system/output/manifest.h"
#include "system/output/output_directory.h"
#include "system/validation/memory_validation.h"

namespace t3sim::validate_commands {
namespace po = boost::program_options;

namespace {

void write_files(OutputDirectory& directory, const MemoryValidation& validation) {
  directory.write("summary.csv", memory_summary_csv(validation));
  directory.write("speed.csv", memory_speed_csv(validation));
  directory.write("summary.md", memory_markdown(validation));
  directory.commit(manifest_base({}));
}

}  // namespace

int memory(const Arguments& arguments) {
  std::string data = "validation/memory/data", config = "configs/memory/hbm2-reference.yaml", output;
  std::vector<std::string> overrides;
  unsigned repeats = 5;
  po::options_description shown("Options"), hidden;
  shown.add_options()("data", po::value(&data)->default_value(data)->value_name("DIR"),
                      "results.csv of the reference simulators, and their traces")(
      "config", po::value(&config)->default_value(config)->value_name("CONFIG.yaml"), "the memory")(
      "set", po::value(&overrides)->composing()->value_name("path.to.key=value"),
      "override a key of the configuration; may be repeated")(
      "repeats", po::value(&repeats)->default_value(repeats), "times that each trace's speed is measured")(
      "output,o", po::value(&output)->value_name("DIR"), "write summary.csv, speed.csv and summary.md there");
  const auto values =
      parse_options({"validate memory", "[options]",
                     "Replays the traces that other memory simulators were given, with the protocol\n"
                     "checker on, and sets the results beside theirs and beside closed forms.\n"},
                    shown, hidden, {}, arguments);
  if (!values) return kDone;
  const MemoryConfig channel = load_memory(config, overrides);
  std::optional<OutputDirectory> directory;
  if (!output.empty()) directory.emplace(output);  // before the work: it may be refused
  const MemoryValidation validation = validate_memory(channel, data, repeats);
  fmt::print("{}", memory_markdown(validation));
  for (const std::string& v : validation.violations) fmt::print(stderr, "{}\n", v);
  if (directory) write_files(*directory, validation);
  return validation.passed() ? kDone : kFailed;
}

}  // namespace t3sim::validate_commands
