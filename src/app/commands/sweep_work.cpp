// t3sim sweep work: what `sweep run` starts, here and on clusters.
#include <fmt/format.h>

#include <cstdio>
#include <numeric>

#include "app/commands/sweep_commands.h"
#include "app/options.h"
#include "base/error.h"
#include "sweep/point_list.h"
#include "sweep/tables.h"
#include "sweep/worker.h"

namespace t3sim::sweep_commands {
namespace po = boost::program_options;

int work(const Arguments& arguments) {
  std::string directory, list;
  bool events = false;
  po::options_description shown("Options"), hidden;
  shown.add_options()("points", po::value(&list)->value_name("3-17,20"), "which points (default: all)")(
      "events", po::bool_switch(&events), "leave the tables to whoever reads what this prints");
  hidden.add_options()("directory", po::value(&directory));
  po::positional_options_description operands;
  operands.add("directory", 1);
  const auto values = parse_options(
      {"sweep work", "DIR [options]",
       "Runs those points of a planned sweep that are not done, beside any other workers, then brings\n"
       "results.csv and results.sqlite up to date. Exit status 1 if one of its points failed.\n"},
      shown, hidden, operands, arguments);
  if (!values) return kDone;
  if (directory.empty()) throw InputError("sweep work: no directory named (see t3sim sweep work --help)");
  const sweep::Store store = sweep::Store::open(directory);
  const std::optional<sweep::Plan> plan = store.plan();
  std::vector<std::size_t> points(plan->points.size());
  std::iota(points.begin(), points.end(), std::size_t{0});
  if (values->count("points")) points = sweep::parse_point_list(list, plan->points.size());
  sweep::work(store, *plan, points, [](const sweep::WorkerEvent& event) {
    fmt::print("{}", sweep::to_line(event));
    std::fflush(stdout);
  });
  if (events) return kDone;
  sweep::Results(store, *plan).write_tables();
  for (const std::size_t i : points)
    if (store.failure(plan->points[i]) && !store.result(plan->points[i])) return kFailed;
  return kDone;
}

}  // namespace t3sim::sweep_commands
