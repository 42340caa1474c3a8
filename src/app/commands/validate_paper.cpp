// t3sim validate paper
#include <fmt/format.h>

#include "app/commands/validate_commands.h"
#include "app/options.h"
#include "app/study.h"
#include "base/error.h"
#include "run/check_config.h"
#include "validation/paper/paper_validation.h"

namespace t3sim::validate_commands {
namespace po = boost::program_options;

namespace {

struct Machine {
  Config config;
  std::vector<config::InputFile> files;
};

// The machine alone: workload and schemes come from the figures.
Machine load_machine(const std::string& file, const std::vector<std::string>& overrides) {
  config::Document document = config::load_file(file);
  for (const std::string& assignment : overrides) config::apply_override(document.root, assignment);
  Machine machine;
  const config::Sources sources = config::read(document.root, machine.config);
  Config first = paper::configure(machine.config, paper::sixteen_cases().front());
  check_config(first, sources);
  machine.config.gpus.model = first.gpus.model;
  machine.files = std::move(document.files);
  return machine;
}

}  // namespace

int paper(const Arguments& arguments) {
  std::string data = "validation/paper", file = "configs/paper/machine.yaml";
  std::vector<std::string> overrides;
  unsigned figure = 0;
  bool sensitivity = false;
  Study study("validate paper", "out/paper-runs");
  po::options_description shown("Options"), hidden;
  shown.add_options()("figure", po::value(&figure)->value_name("N"), "only this figure of the paper")(
      "sensitivity", po::bool_switch(&sensitivity),
      "instead, vary what the paper leaves open, one setting at a time, on four cases")(
      "data", po::value(&data)->default_value(data)->value_name("DIR"),
      "folder with targets.csv, the published numbers")(
      "config", po::value(&file)->default_value(file)->value_name("CONFIG.yaml"), "the machine")(
      "set", po::value(&overrides)->composing()->value_name("path.to.key=value"),
      "override a key of the machine; may be repeated");
  study.add_options(shown, "summary.csv and a CSV a figure");
  const auto values =
      parse_options({"validate paper", "[options]",
                     "Reruns the evaluation of the T3 paper from one machine and sets every number beside\n"
                     "the published one. Exit status 1 if a gate fails.\n"},
                    shown, hidden, {}, arguments);
  if (!values) return kDone;
  const Machine machine = load_machine(file, overrides);
  const paper::Targets targets(data + "/targets.csv");
  study.open();
  const paper::Report report =
      paper::validate(machine.config, targets, values->count("figure") ? std::optional(figure) : std::nullopt,
                      sensitivity, study.run());
  fmt::print("{}", sensitivity ? report.text : report.summary.table());
  if (OutputDirectory* directory = study.directory()) {
    if (!sensitivity) directory->write("summary.csv", report.summary.csv());
    for (const auto& [name, content] : report.files) directory->write(name, content);
    directory->commit(study_manifest(machine.files, overrides));
  }
  return report.summary.passed() ? kDone : kFailed;
}

}  // namespace t3sim::validate_commands
