// t3sim sweep: many runs around one configuration.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/commands/sweep_commands.h"
#include "base/error.h"
#include "base/nearest.h"

namespace t3sim {
namespace {

constexpr std::string_view kSweepHelp =
    "Usage: t3sim sweep plan|run|status|plot|work ...     t3sim sweep WHAT --help\n\n"
    "Runs many points around one configuration, on this machine or on a Slurm cluster.\n\n"
    "  plan      list the points, all of them checked; nothing runs\n"
    "  run       run them: -j N processes or --slurm; --resume goes on where a sweep was stopped\n"
    "  status    how far a sweep is, what failed and how to repeat it\n"
    "  plot      curves and heat maps of the results, as SVG and PNG (gnuplot)\n"
    "  work      the worker: run points of a planned directory (run and Slurm tasks call it)\n\n"
    "A sweep file:\n\n"
    "  base: configs/paper/machine.yaml     # seen from the sweep file\n"
    "  set: {workload.layout: TN}           # for all points\n"
    "  presets:                             # named groups of values; the axis `preset` picks them\n"
    "    small: {workload.m: 1024, workload.n: 1024}\n"
    "    large: {workload.m: 4096, workload.n: 4096}\n"
    "  axes:                                # any key; the first axis varies slowest\n"
    "    preset: [small, large]\n"
    "    gpus.count: [4, 8]\n"
    "    topology.bandwidth: {from: 50 GB/s, to: 200 GB/s, step: 50 GB/s}\n"
    "    workload.k: {from: 256, to: 4096, points: 5, scale: log, multiple: 32}\n"
    "    shapes: {file: shapes.csv}         # its first line names keys, each other line is a step\n"
    "  zip: [[gpus.count, topology.bandwidth]]   # axes that go together, value by value\n"
    "  where: workload.m * workload.n < 1e8      # or a list; + - * / % comparisons and or not, units\n"
    "  schemes: [sequential, t3-mca]             # instead of the base's\n"
    "  invalid: skip                             # leave out points that cannot be run; refuse them without\n"
    "  collect: [gap, limits, link.out.busy]     # further columns: t3sim stats --list; @PHASE for one "
    "phase\n"
    "  columns: {busy_share: link_out_busy / time_us}   # worked out of others, a row at a time\n\n"
    "-o DIR (default out/NAME of the sweep) gets results.csv and results.sqlite: a row a point and scheme.\n";

}  // namespace

std::string sweep_commands::default_directory(const std::string& sweep_file) {
  return "out/" + std::filesystem::path(sweep_file).stem().string();
}

int sweep_command(const Arguments& arguments) {
  const std::string what = arguments.empty() ? "" : arguments.front();
  if (what == "--help" || what == "-h") {
    fmt::print("{}", kSweepHelp);
    return kDone;
  }
  struct Entry {
    std::string name;
    int (*run)(const Arguments&);
  };
  const std::vector<Entry> all{{"plan", sweep_commands::plan},
                               {"run", sweep_commands::run},
                               {"status", sweep_commands::status},
                               {"plot", sweep_commands::plot},
                               {"work", sweep_commands::work}};
  const auto it = std::ranges::find(all, what, &Entry::name);
  if (it != all.end()) return it->run({arguments.begin() + 1, arguments.end()});
  std::vector<std::string> names;
  for (const Entry& entry : all) names.push_back(entry.name);
  if (what.empty()) throw InputError(fmt::format("sweep: what? one of {}", fmt::join(names, ", ")));
  const std::string near = nearest(what, names);
  throw InputError(near.empty() ? fmt::format("sweep: \"{}\" is none of {}", what, fmt::join(names, ", "))
                                : fmt::format("sweep: unknown \"{}\"; did you mean {}?", what, near));
}

}  // namespace t3sim
