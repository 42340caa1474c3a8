// t3sim validate: our results beside those of others.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/commands/validate_commands.h"
#include "base/error.h"

namespace t3sim {
namespace {

struct Part {
  std::string_view name;
  int (*run)(const Arguments& arguments);
  std::string_view help;
};

constexpr Part kParts[] = {
    {"memory", validate_commands::memory,
     "the memory controller against other simulators' answers to the same traces"},
    {"measured", validate_commands::measured,
     "collectives, GEMMs and both together against timings taken on real GPUs"},
    {"paper", validate_commands::paper, "the evaluation of the T3 paper against its published numbers"},
    {"ficco", validate_commands::ficco, "FiCCO's schedules on eight MI300X against its published numbers"},
    {"flux", validate_commands::flux,
     "Flux's methods on machines from data sheets against its published numbers"},
    {"fused-operators", validate_commands::fused_operators,
     "fused embeddings, GEMVs and GEMMs on MI210s against the paper's published numbers"},
    {"mcr-dl", validate_commands::mcr_dl,
     "MCR-DL's mixed backends on two clusters against its published numbers"},
    {"rivals", validate_commands::rivals, "the methods of all papers on the same machines and shapes"},
};

std::string names(std::string_view between, std::string_view before_last) {
  std::string text;
  for (const Part& part : kParts) {
    if (&part != kParts) text += &part == std::end(kParts) - 1 ? before_last : between;
    text += part.name;
  }
  return text;
}

std::string help() {
  std::string text = fmt::format(
      "Usage: t3sim validate {} [options]     t3sim validate memory --help\n\n"
      "Sets our results beside those of others; exit status 1 if a gate fails (of measured: if a row cannot "
      "be run).\n\n",
      names("|", "|"));
  for (const Part& part : kParts) text += fmt::format("  {:<17}{}\n", part.name, part.help);
  return text;
}

}  // namespace

int validate_command(const Arguments& arguments) {
  const std::string what = arguments.empty() ? "" : arguments.front();
  if (what == "--help" || what == "-h") {
    fmt::print("{}", help());
    return kDone;
  }
  const auto part = std::ranges::find(kParts, what, &Part::name);
  if (part != std::end(kParts)) return part->run(Arguments(arguments.begin() + 1, arguments.end()));
  const std::string known = names(", ", " and ");
  throw InputError(what.empty()
                       ? fmt::format("validate: what? {} are known (see t3sim validate --help)", known)
                       : fmt::format("validate: \"{}\" is unknown: {} are known", what, known));
}

}  // namespace t3sim
