// t3sim validate rivals
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/commands/validate_commands.h"
#include "app/config_request.h"
#include "app/options.h"
#include "app/study.h"
#include "base/error.h"
#include "validation/rivals/features.h"
#include "validation/rivals/rivals.h"

namespace t3sim::validate_commands {
namespace po = boost::program_options;

int rivals(const Arguments& arguments) {
  std::string table = "validation/rivals/features.csv";
  std::vector<std::string> schemes;
  std::vector<double> factors;
  bool no_parts = false;
  rivals::Choice choice;
  Study study("validate rivals", "out/rivals-runs", "validation/rivals/results/kept.jsonl");
  po::options_description shown("Options"), hidden;
  shown.add_options()("system", po::value(&choice.systems)->composing()->value_name("NAME"),
                      "only this machine; may be repeated")(
      "shape", po::value(&choice.shapes)->composing()->value_name("NAME"),
      "only this shape; may be repeated")("scheme", po::value(&schemes)->composing()->value_name("a,b"),
                                          "only these methods, beside sequential; all")(
      "figure", po::value(&choice.patterns)->composing()->value_name("NAME"),
      "only shapes of scatter (GEMM -> reduce-scatter), gather (all-gather -> GEMM) or exchange\n"
      "(GEMM -> all-to-all); may be repeated")("all", po::bool_switch(&choice.all),
                                               "all shapes: many hours; without, four of each machine")(
      "finished", po::bool_switch(&choice.finished),
      "simulate nothing: only machines and shapes whose runs are all in --committed")(
      "no-parts", po::bool_switch(&no_parts),
      "not what the gap to the ideal consists of, which takes one to three runs more of each program")(
      "links", po::value(&factors)->composing()->value_name("FACTOR"),
      "with links of so many times a machine's bandwidth; may be repeated; without, 1")(
      "set", po::value(&choice.overrides)->composing()->value_name("path.to.key=value"),
      "override a key of all machines; may be repeated")(
      "features", po::value(&table)->default_value(table)->value_name("FILE.csv"),
      "the feature table, whose commands are run too; empty: none");
  study.add_options(shown, "runs.csv, winners.csv, candidates.csv, kept.jsonl and features.md");
  const auto values =
      parse_options({"validate rivals", "[options]",
                     "Runs the methods of T3, Flux, FiCCO and the fused operators on the same machines and\n"
                     "shapes. Exit status 1 if a check or a command of the feature table fails.\n"},
                    shown, hidden, {}, arguments);
  if (!values) return kDone;
  study.run().with_parts = choice.parts = !no_parts;
  study.open();
  std::vector<rivals::Feature> features;
  if (!table.empty()) features = rivals::read_features(table);
  choice.methods = split_commas(schemes);
  if (choice.methods == std::vector<std::string>{"all"}) choice.methods.clear();
  if (!factors.empty()) choice.links = factors;
  if (const model::KeptRuns& kept = study.committed(); !study.run().quiet && kept.size() > 0)
    fmt::print(
        stderr,
        "{}: {} of {} runs are of the sources that this program was built from, {} of them taken over\n",
        study.committed_file(), kept.of_these_sources(), kept.size(), kept.taken_over());
  const rivals::Simulated simulated = rivals::simulate(choice, study.run());
  const rivals::Report report = rivals::report_of(simulated.rows);
  fmt::print("{}", report.text);
  std::vector<std::string> broken =
      rivals::broken_features(features, std::filesystem::read_symlink("/proc/self/exe").string());
  if (const std::string stale = rivals::stale_page(features, "docs/features.md");
      !features.empty() && !stale.empty())
    broken.push_back(stale);
  for (const std::string& sentence : broken) fmt::print("Broken: {}\n", sentence);
  if (OutputDirectory* directory = study.directory()) {
    directory->write("runs.csv", report.runs_csv);
    directory->write("winners.csv", report.winners_csv);
    directory->write("candidates.csv", report.candidates_csv);
    directory->write("kept.jsonl", study.committed().with(simulated.kept_lines));
    if (!features.empty()) directory->write("features.md", rivals::features_markdown(features));
    directory->commit(study_manifest({}, choice.overrides));
  }
  return report.passed() && broken.empty() ? kDone : kFailed;
}

}  // namespace t3sim::validate_commands
