// t3sim validate mcr-dl
#include <fmt/format.h>

#include "app/commands/validate_commands.h"
#include "app/options.h"
#include "results/manifest.h"
#include "results/output_directory.h"
#include "validation/mcr_dl/mcr_dl_validation.h"

namespace t3sim::validate_commands {
namespace po = boost::program_options;

int mcr_dl(const Arguments& arguments) {
  t3sim::mcr_dl::Options run;
  std::string output;
  bool quick = false;
  po::options_description shown("Options"), hidden;
  shown.add_options()("quick", po::bool_switch(&quick), "without the bands that the committed ranges span")(
      "data", po::value(&run.data)->default_value(run.data)->value_name("DIR"),
      "folder with study.yaml, published.csv and table2.csv")(
      "runs", po::value(&run.kept)->default_value(run.kept)->value_name("DIR"),
      "where finished runs are kept: the same program does not repeat them; empty: nowhere")(
      "quiet", po::bool_switch(&run.quiet), "no progress")(
      "output,o", po::value(&output)->value_name("DIR"),
      "write findings.csv, figure2.csv, figure7.csv to figure12.csv, table2.csv and ends.csv there");
  const auto values = parse_options(
      {"validate mcr-dl", "[options]",
       "Reruns the evaluation of MCR-DL with backends from configs/backends and sets it beside the "
       "published\n"
       "numbers. Exit status 1 if one lies outside of the band that the committed ranges span.\n"},
      shown, hidden, {}, arguments);
  if (!values) return kDone;
  run.bands = !quick;
  std::optional<OutputDirectory> directory;
  if (!output.empty()) directory.emplace(output);  // before the work: it may be refused
  const t3sim::mcr_dl::Report report = t3sim::mcr_dl::validate(run);
  fmt::print("{}", report.text);
  if (directory) {
    for (const auto& [name, content] : report.files) directory->write(name, content);
    directory->commit(manifest_base({}));
  }
  return report.passed() ? kDone : kFailed;
}

}  // namespace t3sim::validate_commands
