// t3sim validate measured
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/commands/validate_commands.h"
#include "app/config_request.h"
#include "app/options.h"
#include "app/study.h"
#include "base/error.h"
#include "results/output_directory.h"
#include "validation/measured/validation.h"

namespace t3sim::validate_commands {
namespace po = boost::program_options;
namespace {

bool same_folder(const std::string& a, const std::string& b) {
  std::error_code missing;
  return std::filesystem::equivalent(a, b, missing);
}

// The machines, and the tables that had rows.
std::vector<config::InputFile> inputs_of(const MeasuredFolder& folder, const std::string& data,
                                         const std::vector<std::string>& machines) {
  std::vector<config::InputFile> inputs;
  for (const std::string& machine : machines)
    for (config::InputFile& file : config::load_file(machine).files) inputs.push_back(std::move(file));
  std::set<std::string> tables;
  for (const MeasuredRow& row : folder.rows)
    tables.insert(std::visit([](const auto& r) { return r.place.file; }, row));
  for (const std::string& table : tables) inputs.push_back(input_file(data + "/" + table));
  return inputs;
}

}  // namespace

int measured(const Arguments& arguments) {
  const std::string shipped = "validation/measured/data";
  std::string data = shipped, kernels = shipped, output;
  std::vector<std::string> overrides, kinds;
  std::vector<std::string> files{"configs/systems/h200-x4.yaml", "configs/systems/h100.yaml"};
  bool quiet = false, calibrated = false, estimate = false, all = false;
  MeasuredOptions options;
  options.rows = 60;
  options.runs = "out/measured-runs";
  po::options_description shown("Options"), hidden;
  shown.add_options()("data", po::value(&data)->default_value(data)->value_name("DIR"),
                      "CSV files of measurements, recognised by their columns")(
      "config", po::value(&files)->composing()->value_name("CONFIG.yaml"),
      "machine; of several, a row belongs to the one whose gpu.name its GPU begins with, and one that names "
      "no "
      "GPU to the first (default: h200-x4.yaml and h100.yaml of configs/systems)")(
      "kernels", po::value(&kernels)->default_value(kernels)->value_name("DIR"),
      "GEMM traffic that names the kernels of shapes which the data does not")(
      "set", po::value(&overrides)->composing()->value_name("path.to.key=value"),
      "override a key of the configurations; may be repeated")(
      "estimate", po::bool_switch(&estimate), "by analytic models, in a second: no run of the machine")(
      "rows", po::value(&options.rows)->default_value(options.rows)->value_name("N"),
      "simulate a part of N rows, of every kind alike but for those whose rows take minutes")(
      "kinds", po::value(&kinds)->composing()->value_name("KIND,..."), "only rows of these kinds")(
      "all", po::bool_switch(&all), "simulate all rows")(
      "jobs,j", po::value(&options.jobs)->default_value(1)->value_name("N"), "runs at a time")(
      "runs", po::value(&options.runs)->default_value(options.runs)->value_name("DIR"),
      "where finished runs are kept: a command that was stopped goes on from there")(
      "calibrated", po::bool_switch(&calibrated),
      "the machine's values come from t3sim calibrate on this data: judge only the half that it leaves "
      "alone (so it is with the shipped data)")("quiet", po::bool_switch(&quiet), "no progress")(
      "output,o", po::value(&output)->value_name("DIR"), "write summary.csv, cases.csv and pairs.csv there");
  const auto values = parse_options(
      {"validate measured", "[options]",
       "Simulates what was measured on real GPUs, each distinct row once, and gives the error by\n"
       "kind. With --estimate the numbers come from analytic models and not from the machine. Of the\n"
       "shipped data, which the machines' values were calibrated on, the half that was not used is\n"
       "held against the targets (chosen by a hash of what a row measures); of any other, every row.\n"
       "Exit status 1 if a row cannot be run; a missed target is in the table and in summary.csv.\n"},
      shown, hidden, {}, arguments);
  if (!values) return kDone;
  for (const std::string& kind : split_commas(kinds)) options.kinds.push_back(case_kind(kind));
  MeasuredFolder folder = read_measured_folder(data);
  folder.kernels.add(read_kernel_names(kernels));
  std::vector<MeasuredMachine> machines;
  for (const std::string& file : files) machines.push_back(load_machine(file, overrides));
  std::optional<OutputDirectory> directory;
  if (!output.empty()) directory.emplace(output);  // before the work: it may be refused
  for (const std::string& file : folder.other_files) fmt::print(stderr, "{}\n", file);
  for (const std::string& row : folder.bad_rows) fmt::print(stderr, "{}\n", row);
  Progress progress(Progress::mode_for(quiet));
  options.judged = calibrated || same_folder(data, shipped) ? Judged::half : Judged::all;
  options.source = estimate ? Source::estimate : Source::machine;
  if (all || estimate) options.rows = 0;
  options.jobs = std::max(1U, options.jobs);
  const MeasuredValidation validation = validate_measured(folder, options, machines, progress);
  fmt::print("{}", measured_text(validation));
  if (directory) {
    directory->write("summary.csv", measured_summary_csv(validation));
    directory->write("cases.csv", measured_cases_csv(validation));
    directory->write("pairs.csv", measured_pairs_csv(validation));
    directory->commit(study_manifest(inputs_of(folder, data, files), overrides));
  }
  return validation.failed.empty() ? kDone : kFailed;
}

}  // namespace t3sim::validate_commands
