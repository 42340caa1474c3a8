// t3sim run: from arguments to a report in the terminal and a directory of files.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <thread>

#include "app/options.h"
#include "app/run_program.h"
#include "config/config.h"
#include "machine/config.h"
#include "results/output_directory.h"
#include "results/progress.h"
#include "results/run_files.h"
#include "results/terminal.h"
#include "run/check_config.h"
#include "run/run_options.h"
#include "run/run_schemes.h"

namespace t3sim {
namespace po = boost::program_options;
namespace {

// A configuration with all that was said about it.
struct LoadedConfig {
  Config config;
  std::vector<config::InputFile> files;
};

// "a,b" and repeated options alike.
std::vector<std::string> split_commas(const std::vector<std::string>& texts) {
  std::vector<std::string> parts;
  for (const std::string& text : texts)
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      parts.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  return parts;
}

std::optional<RunOptions> parse_run(const Arguments& arguments) {
  using Strings = std::vector<std::string>;
  RunOptions options;
  Strings schemes, tracks;
  bool timeline = false;
  std::string window;
  const Usage usage{
      "run", "CONFIG.yaml [options]",
      "Simulates the sub-layer of a configuration under each scheme and says how long it takes, which\n"
      "bytes move and what limits it. Results go to standard output, progress to standard error.\n"};
  po::options_description shown("Options");
  shown.add_options()("set", po::value(&options.overrides)->composing()->value_name("path.to.key=value"),
                      "override a key of the configuration; may be repeated")(
      "scheme", po::value(&schemes)->composing()->value_name("a,b"),
      "schemes to run, instead of the configuration's")(
      "output,o", po::value(&options.output)->value_name("DIR"),
      "write results.json, *.csv, config.yaml and manifest.json there, whole or not at all")(
      "timeline", po::bool_switch(&timeline),
      "write timeline.perfetto-trace into -o DIR, for Perfetto's viewer (docs/timeline.md)")(
      "timeline-window", po::value(&window)->value_name("FROM..TO"),
      "the trace only of this time of each scheme, e.g. \"100 us..300 us\"")(
      "timeline-tracks", po::value(&tracks)->composing()->value_name("glob,glob"),
      "the trace only of these tracks, e.g. \"stage,dma*,link*\"")(
      "explain", po::bool_switch(&options.explain),
      "print the plan of the fused run, as Figure 7 of the paper draws it")(
      "jobs,j", po::value(&options.threads)->value_name("N"),
      "threads (default: as many as this machine runs at a time); the results are the same on any number")(
      "quiet", po::bool_switch(&options.quiet), "no progress")(
      "help-config", "list every key of a configuration: default, limits, meaning");
  po::options_description hidden;
  hidden.add_options()("config", po::value(&options.config_file));
  po::positional_options_description operands;
  operands.add("config", 1);
  const auto values = parse_options(usage, shown, hidden, operands, arguments);
  if (!values) return std::nullopt;
  if (values->count("help-config")) {
    fmt::print("{}", config::help_text(config::list_keys<Config>()));
    return std::nullopt;
  }
  if (values->count("jobs") == 0) options.threads = std::max(std::thread::hardware_concurrency(), 1U);
  if (options.threads < 1 || options.threads > 4096) throw InputError("run: -j: allowed: 1 to 4096");
  if (options.config_file.empty()) throw InputError("run: no configuration named (see t3sim run --help)");
  if (values->count("output") && options.output.empty())
    throw InputError("run: -o: the directory's name is empty");
  options.schemes = split_commas(schemes);
  if (!timeline && values->count("timeline-window") + values->count("timeline-tracks") != 0)
    throw InputError(
        "run: --timeline-window and --timeline-tracks choose what --timeline writes: give it too");
  if (!timeline) return options;
  if (options.output.empty()) throw InputError("run: --timeline writes into the directory of -o: name one");
  options.timeline.emplace();
  options.timeline->tracks = split_commas(tracks);
  if (values->count("timeline-window")) set_window(*options.timeline, window);
  return options;
}

void set_schemes(config::Node& root, const std::vector<std::string>& schemes) {
  const config::Location where{"--scheme"};
  config::Node list;
  list.type = config::Node::Type::list;
  list.where = where;
  for (const std::string& scheme : schemes) {
    config::Node item;
    item.type = config::Node::Type::scalar;
    item.where = where;
    item.scalar = scheme;
    list.items.push_back(item);
  }
  config::set_value(root, "schemes", list, where);
}

LoadedConfig load(const RunOptions& options) {
  config::Document document = config::load_file(options.config_file);
  for (const std::string& assignment : options.overrides) config::apply_override(document.root, assignment);
  if (!options.schemes.empty()) set_schemes(document.root, options.schemes);
  LoadedConfig loaded;
  const config::Sources sources = config::read(document.root, loaded.config);
  settle_config(loaded.config, sources);
  check_config(loaded.config, sources);
  loaded.files = std::move(document.files);
  return loaded;
}

void print_report(const RunReport& report, const RunOptions& options) {
  TerminalStyle style;
  style.unicode = terminal_is_utf8();
  fmt::print("{}", terminal_report(report, style));
  if (options.explain && !report.explanation.empty()) fmt::print("\n{}", report.explanation);
}

void print_files(const OutputDirectory& directory) {
  fmt::print("\nFiles in {}: {}\n", directory.path(), fmt::join(directory.files(), ", "));
}

}  // namespace

int run_command(const Arguments& arguments) {
  const std::optional<RunOptions> options = parse_run(arguments);
  if (!options) return kDone;
  const LoadedConfig loaded = load(*options);
  if (!loaded.config.program.file.empty()) return run_program_command(loaded.config, loaded.files, *options);
  std::optional<OutputDirectory> directory;
  if (!options->output.empty()) directory.emplace(options->output);  // before the work: it may be refused
  Progress progress(Progress::mode_for(options->quiet));
  const RunReport report = run_schemes(loaded.config, *options, progress);
  print_report(report, *options);
  for (const std::string& warning : report.warnings) fmt::print(stderr, "{}\n", warning);
  for (const std::string& note : report.notes) fmt::print(stderr, "{}\n", note);
  if (directory) {
    write_run(*directory, report, config::write(loaded.config), loaded.files);
    print_files(*directory);
  }
  if (const std::string failure = failure_of(report); !failure.empty()) throw std::runtime_error(failure);
  return kDone;
}

}  // namespace t3sim
