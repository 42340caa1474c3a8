// t3sim calibrate
#include <fmt/format.h>

#include "app/options.h"
#include "app/study.h"
#include "base/error.h"
#include "results/output_directory.h"
#include "results/text_table.h"
#include "validation/measured/calibration.h"

namespace t3sim {
namespace po = boost::program_options;
namespace {

CaseKind kind_named(const std::string& name) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kCaseKinds; ++i) {
    names.push_back(to_string(static_cast<CaseKind>(i)));
    if (names.back() == name) return static_cast<CaseKind>(i);
  }
  throw InputError(fmt::format("calibrate: \"{}\" is no kind; kinds are {}", name, fmt::join(names, ", ")));
}

std::string calibration_text(const Calibration& calibration) {
  using Rows = MeasuredValidation::Rows;
  TextTable table;
  table.cells({"kind", "rows fitted", "error % before", "after", "other rows", "error % before", "after"});
  for (std::size_t i = 0; i < kCaseKinds; ++i) {
    const auto kind = static_cast<CaseKind>(i);
    const KindError fitted = calibration.after.error(kind, Rows::calibration);
    const KindError other = calibration.after.error(kind, Rows::reported);
    if (fitted.rows + other.rows == 0) continue;
    table.row();
    table.cells({std::string(to_string(kind)), fmt::format("{}", fitted.rows),
                 fmt::format("{:.1f}", calibration.before.error(kind, Rows::calibration).error_pct),
                 fmt::format("{:.1f}", fitted.error_pct), fmt::format("{}", other.rows),
                 fmt::format("{:.1f}", calibration.before.error(kind, Rows::reported).error_pct),
                 fmt::format("{:.1f}", other.error_pct)});
  }
  return table.text();
}

}  // namespace

int calibrate_command(const Arguments& arguments) {
  std::string data, config, output, kernels = "validation/measured/data";
  std::vector<std::string> overrides, kinds;
  CalibrationOptions options;
  bool quiet = false, estimate = false;
  options.runs = "out/measured-runs";
  po::options_description shown("Options"), hidden;
  shown.add_options()("config", po::value(&config)->value_name("CONFIG.yaml"), "the machine to start from")(
      "data", po::value(&data)->value_name("DIR"),
      "CSV files of measurements on it, recognised by their columns")(
      "kind", po::value(&kinds)->composing()->value_name("KIND"),
      "fit on rows of this kind only; may be repeated")(
      "estimate", po::bool_switch(&estimate),
      "fit the analytic estimates and the values that only they have, in seconds: no run of the machine")(
      "rows", po::value(&options.rows)->default_value(options.rows)->value_name("N"),
      "of the machine: fit on a part of N rows, of every kind alike (both halves); 0: all")(
      "jobs,j", po::value(&options.jobs)->default_value(1)->value_name("N"), "runs at a time")(
      "runs", po::value(&options.runs)->default_value(options.runs)->value_name("DIR"),
      "where finished runs are kept")(
      "free", po::value(&options.free)->composing()->value_name("path.to.key"),
      "a value that may move; may be repeated (default: those that the kinds depend on and no data sheet "
      "says)")("kernels", po::value(&kernels)->default_value(kernels)->value_name("DIR"),
               "GEMM traffic that names the kernels of shapes which the data does not")(
      "set", po::value(&overrides)->composing()->value_name("path.to.key=value"),
      "override a key of the configuration; may be repeated")("quiet", po::bool_switch(&quiet),
                                                              "no progress")(
      "output,o", po::value(&output)->value_name("DIR"),
      "write calibrated.yaml, summary.csv and cases.csv there");
  const auto values = parse_options(
      {"calibrate", "--config CONFIG.yaml --data DIR [options]",
       "Fits the free values of a machine to one half of measured rows (chosen by a hash of what\n"
       "they measure) by simulating them with other values again and again, and reports the error\n"
       "on the other half. Prints the values as lines for a configuration.\n"},
      shown, hidden, {}, arguments);
  if (!values) return kDone;
  if (config.empty() || data.empty())
    throw InputError(
        "calibrate: --config CONFIG.yaml and --data DIR are needed (see t3sim calibrate --help)");
  for (const std::string& name : kinds) options.kinds.push_back(kind_named(name));
  options.source = estimate ? Source::estimate : Source::machine;
  options.jobs = std::max(1U, options.jobs);
  MeasuredFolder folder = read_measured_folder(data);
  folder.kernels.add(read_kernel_names(kernels));
  const MeasuredMachine machine = load_machine(config, overrides);
  std::optional<OutputDirectory> directory;
  if (!output.empty()) directory.emplace(output);  // before the work: it may be refused
  for (const std::string& row : folder.bad_rows) fmt::print(stderr, "{}\n", row);
  Progress progress(Progress::mode_for(quiet));
  const Calibration calibration = calibrate(folder, machine, options, progress);
  fmt::print("{}\n{}", calibration_text(calibration), calibration_yaml(calibration));
  if (directory) {
    directory->write("calibrated.yaml", calibration_yaml(calibration));
    directory->write("summary.csv", measured_summary_csv(calibration.after));
    directory->write("cases.csv", measured_cases_csv(calibration.after));
    directory->commit(study_manifest(config::load_file(config).files, overrides));
  }
  return kDone;
}

}  // namespace t3sim
