// t3sim validate fused-operators
#include <fmt/format.h>

#include <algorithm>

#include "app/commands/validate_commands.h"
#include "app/options.h"
#include "app/study.h"
#include "base/error.h"
#include "validation/fused_operators/bands.h"
#include "validation/fused_operators/timeline.h"
#include "validation/fused_operators/validation.h"

namespace t3sim::validate_commands {
namespace po = boost::program_options;

namespace {

bool is_chosen(const std::vector<int>& figures, int figure) {
  return figures.empty() || std::ranges::find(figures, figure) != figures.end();
}

// Of the figures named; none: of all.
std::vector<fused_operators::Measure> chosen(const std::vector<int>& figures,
                                             const fused_operators::Inputs& inputs) {
  for (const int figure : figures)
    if (figure != fused_operators::kTimelineFigure &&
        std::ranges::find(fused_operators::kFigures, figure) == std::end(fused_operators::kFigures))
      throw InputError(fmt::format("validate fused-operators: --figure: {} is unknown; allowed: {}, {}",
                                   figure, fmt::join(fused_operators::kFigures, ", "),
                                   fused_operators::kTimelineFigure));
  std::vector<fused_operators::Measure> all;
  for (const int figure : fused_operators::kFigures)
    if (is_chosen(figures, figure))
      std::ranges::move(fused_operators::measures_of(figure, inputs), std::back_inserter(all));
  return all;
}

}  // namespace

int fused_operators(const Arguments& arguments) {
  std::string timeline_file = "validation/fused-operators/figure11.yaml";
  std::vector<std::string> overrides;
  std::vector<int> figures;
  fused_operators::Inputs inputs;
  bool with_bands = false;
  Study study("validate fused-operators", "out/fused-operators-runs");
  po::options_description shown("Options"), hidden;
  shown.add_options()("figure", po::value(&figures)->composing()->value_name("N"),
                      "this figure of the paper: 8, 9, 10, 11, 12, 13, 14; may be repeated")(
      "timeline", po::value(&timeline_file)->default_value(timeline_file)->value_name("FILE.yaml"),
      "program of figure 11")(
      "pooling", po::value(&inputs.pooling)->default_value(inputs.pooling)->value_name("N"), "rows of a bag")(
      "table-rows", po::value(&inputs.table_rows)->default_value(inputs.table_rows)->value_name("N"),
      "rows of an embedding table")(
      "tables", po::value(&inputs.tables)->default_value(inputs.tables)->value_name("N"), "tables per GPU")(
      "gemv-k", po::value(&inputs.gemv_k)->default_value(inputs.gemv_k)->value_name("N"),
      "columns of the GEMV's matrix per GPU")(
      "bands", po::bool_switch(&with_bands),
      "mean savings also with each input at the ends of its range: some 90 runs more")(
      "set", po::value(&overrides)->composing()->value_name("path.to.key=value"),
      "override a key of the machines; may be repeated");
  study.add_options(shown, "figure08.csv, ... and findings.csv");
  const auto values = parse_options(
      {"validate fused-operators", "[options]",
       "Reruns the figures of fused computation and collectives (arXiv 2305.06942) on MI210s and\n"
       "sets them beside the published numbers. Exit status 1 if one misses.\n"},
      shown, hidden, {}, arguments);
  if (!values) return kDone;
  const std::vector<fused_operators::Measure> measures = chosen(figures, inputs);
  study.open();
  fused_operators::Timeline timeline;
  if (is_chosen(figures, fused_operators::kTimelineFigure))
    timeline = fused_operators::timeline_of(timeline_file, overrides);
  std::vector<int> banded;
  for (const int figure : fused_operators::kBandFigures)
    if (with_bands && is_chosen(figures, figure)) banded.push_back(figure);
  const std::vector<fused_operators::Timed> times =
      fused_operators::simulate(measures, overrides, study.run());
  const std::vector<fused_operators::Timed> ends =
      fused_operators::simulate(fused_operators::measures_of_ends(banded, inputs), overrides, study.run());
  const fused_operators::Report report =
      fused_operators::report_of(times, fused_operators::bands_of(banded, inputs, times, ends));
  fmt::print("{}{}", measures.empty() ? "" : report.text, timeline.text);
  if (OutputDirectory* directory = study.directory()) {
    if (!timeline.csv.empty()) directory->write("figure11.csv", timeline.csv);
    for (const auto& [name, content] : report.files)
      if (!measures.empty()) directory->write(name, content);
    directory->commit(study_manifest({}, overrides));
  }
  return report.passed() ? kDone : kFailed;
}

}  // namespace t3sim::validate_commands
