// t3sim tune program: the fastest of some programs and of the values of their knobs.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "app/commands/tune_commands.h"
#include "app/config_request.h"
#include "app/options.h"
#include "app/output_file.h"
#include "base/csv.h"
#include "base/error.h"
#include "program/library.h"
#include "results/text_table.h"
#include "run/program_point.h"
#include "sweep/files.h"
#include "tune/program_search.h"
#include "validation/paper/points.h"

namespace t3sim::tune_commands {
namespace po = boost::program_options;
namespace {

struct Options {
  std::vector<std::string> names;  // of the programs
  ConfigRequest request{"tune program"};
  std::size_t runs = 16;
  std::string output;
  paper::PointOptions points{
      .jobs = std::max(1U, std::thread::hardware_concurrency()), .cache = "out/tune-runs", .quiet = false};
};

std::optional<Options> parse(const Arguments& arguments) {
  Options o;
  std::string names;
  po::options_description shown("Options"), hidden;
  shown.add_options()("machine", po::value(&o.request.machine)->value_name("NAME"),
                      "a machine by name (t3sim list machines)")(
      "parameter,p", po::value(&o.request.parameters)->composing()->value_name("name=value"),
      "of the programs, and no knob then; may be repeated")(
      "set", po::value(&o.request.overrides)->composing()->value_name("path.to.key=value"),
      "override a key of the configuration; may be repeated")(
      "runs", po::value(&o.runs)->default_value(o.runs)->value_name("N"), "the budget: so many runs at most")(
      "jobs,j", po::value(&o.points.jobs)->default_value(o.points.jobs)->value_name("N"), "runs at a time")(
      "kept", po::value(&o.points.cache)->default_value(o.points.cache)->value_name("DIR"),
      "where finished runs are kept: the same program does not repeat them; empty: nowhere")(
      "quiet", po::bool_switch(&o.points.quiet), "no progress")(
      "output,o", po::value(&o.output)->value_name("FILE"), "write the table as CSV there");
  hidden.add_options()("names", po::value(&names))("config", po::value(&o.request.file));
  po::positional_options_description operands;
  operands.add("names", 1).add("config", 1);
  const auto values = parse_options({"tune program", "NAME[,NAME] [CONFIG.yaml] [--machine NAME] [options]",
                                     "Looks for the fastest of programs that compute the same, and of the "
                                     "values that they allow under `tune`\n"
                                     "(docs/programs.md), one knob at a time, on a budget of runs.\n"},
                                    shown, hidden, operands, arguments);
  if (!values) return std::nullopt;
  if (names.empty()) throw InputError("tune program: no program named (see t3sim program list)");
  if (o.runs == 0) throw InputError("tune program: --runs: at least 1");
  check_output_file("tune program", o.output, {"program,values,us,"});
  if (o.points.jobs == 0) throw InputError("tune program: --jobs: at least 1");
  o.names = split_commas({names});
  o.request.program = o.names.front();
  return o;
}

std::vector<tune::TunedProgram> programs_of(const Options& o, const Config& base) {
  std::vector<tune::TunedProgram> programs;
  for (const std::string& name : o.names) {
    if (program_library::is_scheme(name))
      throw InputError(fmt::format("tune program: {} is a scheme; allowed: programs with streams", name));
    program::Setting setting;
    setting.gpus = base.gpus.count;
    for (const auto& [parameter, value] : base.program.parameters)
      setting.parameters[parameter] = static_cast<std::int64_t>(value);
    programs.push_back({name, program::knobs(program_library::read(name), setting)});
  }
  return programs;
}

std::string refusal(const Config& config) {
  try {
    check_program(config);
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

Config config_of(const Config& base, const tune::TunedProgram& program, const tune::Candidate& candidate) {
  Config config = base;
  config.program.file = program.name;
  for (const auto& [knob, value] : candidate.values)
    config.program.parameters[knob] = static_cast<std::uint64_t>(value);
  return config;
}

std::vector<tune::Outcome> measured(const std::vector<Config>& configs, const paper::PointOptions& options) {
  paper::Points points;
  std::vector<tune::Outcome> outcomes(configs.size());
  std::vector<std::optional<paper::PointId>> ids(configs.size());
  for (std::size_t i = 0; i < configs.size(); ++i) {
    outcomes[i].refused = refusal(configs[i]);
    if (outcomes[i].refused.empty()) ids[i] = points.add(configs[i]);
  }
  points.run(options);
  for (std::size_t i = 0; i < configs.size(); ++i)
    if (ids[i]) {
      outcomes[i].us = points[*ids[i]].schemes.begin()->second.time_us;
      outcomes[i].error_us = points[*ids[i]].sample_error_us;
    }
  return outcomes;
}

// A line for each candidate: program, values, time; the best one marked.
std::vector<std::vector<std::string>> lines_of(const std::vector<tune::TunedProgram>& programs,
                                               const tune::Search& search) {
  std::vector<std::vector<std::string>> lines{{"program", "values", "us", "sample_error_us", "verdict"}};
  for (std::size_t i = 0; i < search.tried.size(); ++i) {
    const auto& [candidate, outcome] = search.tried[i];
    std::string values;
    for (const auto& [knob, value] : candidate.values)
      values += fmt::format("{}{}={}", values.empty() ? "" : " ", knob, value);
    const bool ran = outcome.refused.empty();
    lines.push_back({programs[candidate.program].name, values, ran ? fmt::format("{:.2f}", outcome.us) : "",
                     ran ? fmt::format("{:.2f}", outcome.error_us) : "",
                     i == search.best ? "best" : outcome.refused});
  }
  return lines;
}

void print(const std::vector<std::vector<std::string>>& lines, const tune::Search& search,
           std::size_t budget) {
  TextTable table;
  std::vector<std::string> verdicts;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i != 0) table.row();
    table.cells({lines[i].begin(), lines[i].end() - 1});
    verdicts.push_back(lines[i].back());
  }
  fmt::print("{}", table.text_with(verdicts));
  if (!search.ended) fmt::print("The budget of {} runs did not reach: not all has been tried.\n", budget);
}

std::string csv_of(const std::vector<std::vector<std::string>>& lines) {
  std::string csv;
  for (const std::vector<std::string>& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i)
      csv += csv_field(line[i]) + (i + 1 == line.size() ? "\n" : ",");
  return csv;
}

}  // namespace

int program(const Arguments& arguments) {
  const std::optional<Options> o = parse(arguments);
  if (!o) return kDone;
  const LoadedConfig loaded = load_config(o->request);
  if (!loaded.note.empty()) fmt::print(stderr, "{}\n", loaded.note);
  const Config& base = loaded.config;
  const std::vector<tune::TunedProgram> programs = programs_of(*o, base);
  const tune::Search search =
      tune::search(programs, o->runs, [&](const std::vector<tune::Candidate>& candidates) {
        std::vector<Config> configs;
        for (const tune::Candidate& c : candidates)
          configs.push_back(config_of(base, programs[c.program], c));
        return measured(configs, o->points);
      });
  if (search.best == search.tried.size())
    throw InputError("tune program: none can run: " + search.tried.front().outcome.refused);
  const auto lines = lines_of(programs, search);
  print(lines, search, o->runs);
  if (!o->output.empty()) sweep::write_whole(o->output, csv_of(lines));
  return kDone;
}

}  // namespace t3sim::tune_commands
