// t3sim validate flux
#include <fmt/format.h>

#include <algorithm>

#include "app/commands/validate_commands.h"
#include "app/config_request.h"
#include "app/options.h"
#include "app/study.h"
#include "base/error.h"
#include "base/nearest.h"
#include "config/config.h"
#include "results/manifest.h"
#include "validation/flux/findings.h"
#include "validation/flux/flux_validation.h"

namespace t3sim::validate_commands {
namespace po = boost::program_options;

namespace {

// Lists of words; empty: all.
struct Choice {
  std::string machines, patterns, rows, methods;
};

bool alone(const flux::Run& run) {
  return run.method == flux::Method::gemm || run.method == flux::Method::collective;
}

[[noreturn]] void refuse(const std::string& option, const std::string& word,
                         const std::vector<std::string>& there) {
  const std::string near = nearest(word, there);
  throw InputError(
      fmt::format("validate flux: {}: no run has \"{}\"; there are {}{} (--all has more of them)", option,
                  word, fmt::join(there, ", "), near.empty() ? "" : "; did you mean " + near + "?"));
}

// Those of `runs` on these machines, of these patterns, with these rows and by these methods, with what each is held against.
std::vector<flux::Run> chosen(std::vector<flux::Run> runs, const Choice& choice) {
  const auto keep = [&](const std::string& list, const std::string& option, auto&& word_of) {
    if (list.empty()) return;
    std::vector<std::string> there;
    for (const flux::Run& run : runs)
      if (std::ranges::find(there, word_of(run)) == there.end()) there.push_back(word_of(run));
    const std::vector<std::string> words = split_commas({list});
    for (const std::string& word : words)
      if (std::ranges::find(there, word) == there.end()) refuse(option, word, there);
    std::erase_if(
        runs, [&](const flux::Run& run) { return std::ranges::find(words, word_of(run)) == words.end(); });
  };
  keep(choice.machines, "--machines", [](const flux::Run& run) { return run.of.machine; });
  keep(choice.patterns, "--patterns",
       [](const flux::Run& run) { return std::string(to_string(run.of.pattern)); });
  keep(choice.rows, "--m", [](const flux::Run& run) { return std::to_string(run.of.m); });
  if (choice.methods.empty()) return runs;
  std::vector<flux::Run> needed = runs;
  std::erase_if(needed, [](const flux::Run& run) { return !alone(run); });
  keep(choice.methods, "--methods", [](const flux::Run& run) { return std::string(to_string(run.method)); });
  std::erase_if(runs, alone);
  runs.insert(runs.end(), needed.begin(), needed.end());
  return runs;
}

}  // namespace

int flux(const Arguments& arguments) {
  std::string data = "validation/flux";
  Choice choice;
  bool all = false;
  Study study("validate flux", "out/flux-runs", "validation/flux/results/kept.jsonl");
  po::options_description shown("Options"), hidden;
  shown.add_options()(
      "all", po::bool_switch(&all),
      "four machines, m from 64 to 8192, all methods: hours; without, A800 and H800 at 4096, fused, "
      "and H800 at 1024")("machines", po::value(&choice.machines)->value_name("a,b"), "of them, these alone")(
      "patterns", po::value(&choice.patterns)->value_name("a,b"), "of them, gather or scatter alone")(
      "m", po::value(&choice.rows)->value_name("a,b"), "of them, these numbers of rows alone")(
      "methods", po::value(&choice.methods)->value_name("a,b"),
      "of them, these alone, beside the GEMM and the collective: fused, naive, push, medium, pairs, "
      "ring, two-streams")("data", po::value(&data)->default_value(data)->value_name("DIR"),
                           "folder with published.csv and ranges.csv, the published numbers");
  study.add_options(shown, "runs.csv, totals.csv, findings.csv and kept.jsonl");
  const auto values = parse_options(
      {"validate flux", "[options]",
       "Reruns the evaluation of Flux's operators on machines from data sheets and sets it beside the\n"
       "published numbers. Exit status 1 if a total is off by over 10 % or an efficiency by 10 points.\n"},
      shown, hidden, {}, arguments);
  if (!values) return kDone;
  const std::vector<flux::Run> runs = chosen(flux::runs_of_evaluation(all), choice);
  const std::vector<flux::Published> published = flux::read_published(data + "/published.csv");
  const std::vector<flux::Range> ranges = flux::read_ranges(data + "/ranges.csv");
  study.open();
  const flux::Simulated simulated = flux::simulate(runs, study.run());
  const flux::Report report = flux::report_of(simulated.rows, published);
  const std::vector<flux::Finding> findings = flux::findings_of(simulated.rows, ranges);
  fmt::print("{}{}", report.text, flux::findings_text(findings));
  if (OutputDirectory* directory = study.directory()) {
    directory->write("runs.csv", report.runs_csv);
    directory->write("totals.csv", report.totals_csv);
    directory->write("findings.csv", flux::findings_csv(findings));
    directory->write("kept.jsonl", study.committed().with(simulated.kept_lines));
    directory->commit(manifest_base({}));
  }
  return report.passed ? kDone : kFailed;
}

}  // namespace t3sim::validate_commands
