#include "app/run_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <tuple>
#include <vector>

#include "app/options.h"
#include "base/error.h"
#include "config/config.h"

namespace t3sim {
namespace po = boost::program_options;
namespace {

constexpr const char* kRunText =
    "Simulates a sub-layer under each scheme and says how long it takes, which bytes move and what limits "
    "it:\n"
    "that of a configuration, or a layer of a model on a machine, all three by name (t3sim list). A file's "
    "keys\n"
    "win over the machine's, the layer's over both, --set over all. Results go to standard output, progress "
    "to\nstandard error.\n";

struct TimelineArguments {
  bool wanted = false;
  std::string window;
  std::vector<std::string> tracks;
};

struct DebugArguments {
  std::vector<std::string> tracks;
  std::string from, to;
};

void add_debug(DebugArguments& debug, po::options_description& shown) {
  shown.add_options()(
      "debug", po::value(&debug.tracks)->composing()->value_name("a,b"),
      "print the events of these tracks, a line each, to standard error: tracker, dma, link, stage, "
      "step, kernel")("from", po::value(&debug.from)->value_name("TIME"),
                      "with --debug: only from this time of each phase, e.g. \"120 us\"")(
      "to", po::value(&debug.to)->value_name("TIME"), "with --debug: only up to this time of each phase");
}

void set_debug(const po::variables_map& values, const DebugArguments& said, RunArguments& run) {
  if (values.count("debug") == 0 && values.count("from") + values.count("to") != 0)
    throw InputError("run: --from and --to choose what --debug prints: give it too");
  if (values.count("debug")) run.debug = debug_options(split_commas(said.tracks), said.from, said.to);
}

void add_output(RunArguments& run, TimelineArguments& timeline, po::options_description& shown) {
  shown.add_options()("output,o", po::value(&run.output)->value_name("DIR"),
                      "write results.json, *.csv, config.yaml and manifest.json there, whole or not at all")(
      "json", po::bool_switch(&run.json), "print results.json instead of the tables")(
      "timeline", po::bool_switch(&timeline.wanted),
      "write timeline.perfetto-trace into -o DIR, for Perfetto's viewer (docs/timeline.md)")(
      "timeline-window", po::value(&timeline.window)->value_name("FROM..TO"),
      "the trace only of this time of each scheme, e.g. \"100 us..300 us\"")(
      "timeline-tracks", po::value(&timeline.tracks)->composing()->value_name("glob,glob"),
      "the trace only of these tracks, e.g. \"stage,dma*,link*\"");
}

void add_rest(RunArguments& run, po::options_description& shown) {
  shown.add_options()("explain", po::bool_switch(&run.explain),
                      "first print the plan of the fused run, as Figure 7 of the paper draws it")(
      "overlap", po::bool_switch(&run.overlap),
      "of a program: also run its kernels and its communication alone, and say what overlap gains and costs")(
      "patience",
      po::value<double>()->notifier([&run](double s) { run.patience = s; })->value_name("SECONDS"),
      "of a program with run.sampling: auto: simulate the whole of what takes no longer, more or less (10)")(
      "runs", po::value(&run.runs)->value_name("DIR"),
      "of a graph: keep finished runs at cycle level there, and take them from there")(
      "extrapolate", po::bool_switch(&run.extrapolate),
      "of a graph, or --backend auto: beyond the sizes of its table of backends the nearest counts")(
      "dry-run", po::bool_switch(&run.dry_run),
      "run nothing: check all, and estimate the time and memory that the run takes here")(
      "jobs,j", po::value(&run.options.threads)->value_name("N"),
      "threads (default: as many as this machine runs at a time); the results are the same on any number")(
      "quiet,q", po::bool_switch(&run.quiet), "no progress")(
      "verbose,v", po::bool_switch(&run.verbose), "say what is read, and what each scheme cost here")(
      "help-config", "list every key of a configuration: default, limits, meaning");
}

void set_timeline(const po::variables_map& values, const TimelineArguments& said, RunArguments& run) {
  if (!said.wanted && values.count("timeline-window") + values.count("timeline-tracks") != 0)
    throw InputError(
        "run: --timeline-window and --timeline-tracks choose what --timeline writes: give it too");
  if (!said.wanted) return;
  if (run.output.empty()) throw InputError("run: --timeline writes into the directory of -o: name one");
  run.options.timeline.emplace();
  run.options.timeline->tracks = split_commas(said.tracks);
  if (values.count("timeline-window")) t3sim::set_window(*run.options.timeline, said.window);
}

void check_use(const po::variables_map& values, const RunArguments& run) {
  if (run.options.threads < 1 || run.options.threads > 4096) throw InputError("run: -j: allowed: 1 to 4096");
  if (values.count("output") && run.output.empty())
    throw InputError("run: -o: the directory's name is empty");
  if (run.dry_run && values.count("output")) throw InputError("run: --dry-run writes nothing: -o has no use");
  if (run.patience && !(*run.patience >= 0.01 && *run.patience <= 1e6))
    throw InputError("run: --patience: allowed: 0.01 to 1000000");
  if (!run.runs.empty() && run.request.graph.empty()) throw InputError("run: --runs needs --graph");
  if (run.extrapolate && run.request.graph.empty() && run.request.collective.backend.empty())
    throw InputError("run: --extrapolate needs --graph or --backend");
  if (run.quiet && run.verbose) throw InputError("run: -q or -v, not both");
}

}  // namespace

void refuse_cycle_level(const RunArguments& run, const std::string& what) {
  const std::tuple<const char*, bool, const char*> said[]{
      {"--debug", run.debug.has_value(), "schemes and programs"},
      {"--timeline", run.options.timeline.has_value(), "schemes and programs"},
      {"--overlap", run.overlap, "programs"},
      {"--patience", run.patience.has_value(), "programs"}};
  for (const auto& [option, is_said, of] : said)
    if (is_said)
      throw InputError(fmt::format("run: {} is of {}, and this run is one of {}", option, of, what));
}

std::optional<RunArguments> parse_run(const Arguments& arguments) {
  RunArguments run;
  TimelineArguments timeline;
  DebugArguments debug;
  po::options_description shown("Options"), hidden;
  add_options(run.request, shown);
  add_output(run, timeline, shown);
  add_debug(debug, shown);
  add_rest(run, shown);
  hidden.add_options()("config", po::value(&run.request.file));
  po::positional_options_description operands;
  operands.add("config", 1);
  const auto values = parse_options(
      {"run", "[CONFIG.yaml|-] [--model NAME --layer NAME --tp N] [--machine NAME] [options]", kRunText},
      shown, hidden, operands, arguments);
  if (!values) return std::nullopt;
  if (values->count("help-config")) {
    fmt::print("{}", config::help_text(config::list_keys<Config>()));
    return std::nullopt;
  }
  if (values->count("jobs") == 0) run.options.threads = std::max(std::thread::hardware_concurrency(), 1U);
  check_use(*values, run);
  set_timeline(*values, timeline, run);
  set_debug(*values, debug, run);
  return run;
}

}  // namespace t3sim
