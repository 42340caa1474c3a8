// t3sim sweep plan
#include <fmt/format.h>

#include "app/commands/sweep_commands.h"
#include "app/options.h"
#include "base/error.h"
#include "sweep/plan.h"

namespace t3sim::sweep_commands {
namespace po = boost::program_options;

int plan(const Arguments& arguments) {
  std::string file;
  bool commands = false;
  po::options_description shown("Options"), hidden;
  shown.add_options()("commands", po::bool_switch(&commands), "print the command that runs each point alone");
  hidden.add_options()("sweep", po::value(&file));
  po::positional_options_description operands;
  operands.add("sweep", 1);
  const auto values =
      parse_options({"sweep plan", "SWEEP.yaml [options]",
                     "Composes and checks every point of a sweep and lists them. Nothing runs.\n"},
                    shown, hidden, operands, arguments);
  if (!values) return kDone;
  if (file.empty()) throw InputError("sweep plan: no sweep file named (see t3sim sweep plan --help)");
  const sweep::Plan plan = sweep::make_plan(sweep::load_sweep(file));
  for (const sweep::Point& point : plan.points)
    if (commands)
      fmt::print("{}\n", point.command);
    else
      fmt::print("{:>6}  {}\n", point.index, point.label);
  for (const sweep::InvalidPoint& point : plan.invalid)
    fmt::print(stderr, "left out: {}: {}\n", point.label, point.why);
  fmt::print(
      stderr, "{}: {} points, all of them valid{}{}\n", plan.sweep, plan.points.size(),
      plan.left_out > 0 ? fmt::format("; {} left out by `where`", plan.left_out) : "",
      plan.invalid.empty() ? "" : fmt::format("; {} cannot be run (invalid: skip)", plan.invalid.size()));
  return kDone;
}

}  // namespace t3sim::sweep_commands
