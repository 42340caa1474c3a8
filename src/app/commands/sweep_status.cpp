// t3sim sweep status
#include <fmt/format.h>

#include <filesystem>

#include "app/commands/sweep_commands.h"
#include "app/options.h"
#include "base/error.h"
#include "sweep/tables.h"

namespace t3sim::sweep_commands {
namespace po = boost::program_options;

int status(const Arguments& arguments) {
  std::string file, directory;
  po::options_description shown("Options"), hidden;
  shown.add_options()("output,o", po::value(&directory)->value_name("DIR"), "the sweep's directory");
  hidden.add_options()("sweep", po::value(&file));
  po::positional_options_description operands;
  operands.add("sweep", 1);
  const auto values =
      parse_options({"sweep status", "SWEEP.yaml|DIR [-o DIR]",
                     "Says which points of a sweep are done, running, failed and missing, from its\n"
                     "files alone, and how to repeat what failed. Exit status 0 if all are done.\n"},
                    shown, hidden, operands, arguments);
  if (!values) return kDone;
  if (file.empty() && directory.empty()) throw InputError("sweep status: no sweep file or directory named");
  if (directory.empty()) directory = std::filesystem::is_directory(file) ? file : default_directory(file);
  const sweep::Store store = sweep::Store::open(directory);
  const std::optional<sweep::Plan> plan = store.plan();
  sweep::Results results(store, *plan);
  results.refresh();
  std::size_t running = 0, failed = 0;
  for (const sweep::Point& point : plan->points) {
    if (results.done(point.index)) continue;
    if (store.claimed(point)) {
      ++running;
      fmt::print("running  {:>6}  {}\n", point.index, point.label);
    } else if (const std::optional<std::string> why = store.failure(point)) {
      ++failed;
      fmt::print("failed   {:>6}  {}: {}\n  to repeat it: {}\n", point.index, point.label, *why,
                 point.command);
    }
  }
  for (const sweep::InvalidPoint& point : plan->invalid)
    fmt::print("left out          {}: {}\n", point.label, point.why);
  const std::size_t missing = plan->points.size() - results.done() - running - failed;
  fmt::print("{}: {} points: {} done, {} running, {} failed, {} missing\n", plan->sweep, plan->points.size(),
             results.done(), running, failed, missing);
  return results.done() == plan->points.size() ? kDone : kFailed;
}

}  // namespace t3sim::sweep_commands
