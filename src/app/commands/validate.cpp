// t3sim validate: our results beside those of others.
#include <fmt/format.h>

#include "app/commands/validate_commands.h"
#include "base/error.h"

namespace t3sim {
namespace {

constexpr std::string_view kValidateHelp =
    "Usage: t3sim validate memory|measured|paper|flux|ficco [options]     t3sim validate memory --help\n\n"
    "Sets our results beside those of others; exit status 1 if a gate fails.\n\n"
    "  memory    the memory controller against other simulators' answers to the same traces\n"
    "  measured  collectives, GEMMs and both together against timings taken on real GPUs\n"
    "  paper     the evaluation of the T3 paper against its published numbers\n"
    "  ficco     FiCCO's schedules on eight MI300X against its published numbers\n"
    "  flux      Flux's methods on machines from data sheets against its published numbers\n";

}  // namespace

int validate_command(const Arguments& arguments) {
  const std::string what = arguments.empty() ? "" : arguments.front();
  if (what == "--help" || what == "-h") {
    fmt::print("{}", kValidateHelp);
    return kDone;
  }
  if (what == "memory") return validate_commands::memory(Arguments(arguments.begin() + 1, arguments.end()));
  if (what == "measured")
    return validate_commands::measured(Arguments(arguments.begin() + 1, arguments.end()));
  if (what == "paper") return validate_commands::paper(Arguments(arguments.begin() + 1, arguments.end()));
  if (what == "flux") return validate_commands::flux(Arguments(arguments.begin() + 1, arguments.end()));
  if (what == "ficco") return validate_commands::ficco(Arguments(arguments.begin() + 1, arguments.end()));
  throw InputError(
      what.empty()
          ? "validate: what? memory, measured, paper, flux and ficco are known (see t3sim validate --help)"
          : fmt::format("validate: \"{}\" is unknown: memory, measured, paper, flux and ficco are known",
                        what));
}

}  // namespace t3sim
