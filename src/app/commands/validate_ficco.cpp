// t3sim validate ficco
#include <fmt/format.h>

#include <algorithm>

#include "app/commands/validate_commands.h"
#include "app/options.h"
#include "app/study.h"
#include "base/error.h"
#include "validation/ficco/ficco_validation.h"
#include "validation/ficco/unseen.h"

namespace t3sim::validate_commands {
namespace po = boost::program_options;

namespace {

// Where no shape is named.
constexpr std::string_view kQuick[] = {"g5"};
constexpr std::uint64_t kUnseenSeed = 1;

std::vector<ficco::Shape> chosen(const std::vector<std::string>& names, bool all) {
  std::vector<ficco::Shape> shapes = ficco::table_one();
  if (all && names.empty()) return shapes;
  const std::vector<std::string> wanted =
      names.empty() ? std::vector<std::string>(std::begin(kQuick), std::end(kQuick)) : names;
  for (const std::string& name : wanted)
    if (std::ranges::find(shapes, name, &ficco::Shape::name) == shapes.end())
      throw InputError(fmt::format("validate ficco: --shape: \"{}\" is unknown; g1 to g16 are known", name));
  std::erase_if(shapes,
                [&](const ficco::Shape& s) { return std::ranges::find(wanted, s.name) == wanted.end(); });
  return shapes;
}

}  // namespace

int ficco(const Arguments& arguments) {
  std::string file = "configs/systems/mi300x-x8.yaml";
  std::vector<std::string> overrides, names;
  bool all = false, finished = false;
  std::size_t unseen_count = 0;
  Study study("validate ficco", "out/ficco-runs", "validation/ficco/results/kept.jsonl");
  po::options_description shown("Options"), hidden;
  shown.add_options()("all", po::bool_switch(&all), "all of Table I: hours; without, g5")(
      "finished", po::bool_switch(&finished),
      "simulate nothing: only shapes whose runs are all in --committed")(
      "unseen", po::value(&unseen_count)->default_value(0)->value_name("N"),
      "the first N of the shapes on which the heuristic is judged (with --finished: those of them that are "
      "there)")("shape", po::value(&names)->composing()->value_name("gN"),
                "this shape of Table I; may be repeated")(
      "config", po::value(&file)->default_value(file)->value_name("CONFIG.yaml"), "the machine")(
      "set", po::value(&overrides)->composing()->value_name("path.to.key=value"),
      "override a key of the machine; may be repeated");
  study.add_options(shown,
                    "schedules.csv, parts.csv, contention.csv, heuristic.csv, findings.csv and kept.jsonl");
  const auto values =
      parse_options({"validate ficco", "[options]",
                     "Reruns FiCCO's schedules on eight MI300X and sets them beside the published\n"
                     "numbers. Exit status 1 if one misses.\n"},
                    shown, hidden, {}, arguments);
  if (!values) return kDone;
  std::vector<ficco::Shape> shapes = chosen(names, all || finished);
  config::Document document = config::load_file(file);
  for (const std::string& assignment : overrides) config::apply_override(document.root, assignment);
  Config machine;
  config::read(document.root, machine);
  study.open();
  std::vector<ficco::Shape> unseen = ficco::unseen_shapes(kUnseenSeed, unseen_count);
  if (finished) {
    shapes = ficco::finished(machine, shapes, study.committed(), false);
    unseen = ficco::finished(machine, unseen, study.committed(), true);
  }
  if (shapes.empty())
    throw InputError(
        fmt::format("validate ficco: --finished: {} has no shape with all its runs", study.committed_file()));
  const ficco::Simulated simulated = ficco::simulate(machine, shapes, unseen, study.run());
  const ficco::Report report = ficco::report_of(simulated);
  fmt::print("{}", report.text);
  if (OutputDirectory* directory = study.directory()) {
    directory->write("schedules.csv", report.schedules_csv);
    directory->write("parts.csv", report.parts_csv);
    directory->write("contention.csv", report.contention_csv);
    directory->write("heuristic.csv", report.heuristic_csv);
    directory->write("findings.csv", report.findings_csv);
    directory->write("kept.jsonl", study.committed().with(simulated.kept_lines));
    directory->commit(study_manifest(document.files, overrides));
  }
  return report.passed() ? kDone : kFailed;
}

}  // namespace t3sim::validate_commands
