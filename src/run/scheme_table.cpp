#include "run/scheme_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "program/library.h"
#include "run/scheme_builder.h"

namespace t3sim {

bool runs_collective(const Config& config) {
  return std::ranges::any_of(config.schemes, [](const std::string& scheme) {
    return !program_library::scheme(scheme)->is_kernel_alone();
  });
}

double Scheme::time_us(const std::vector<double>& of_phases) const {
  const auto sum = [&](const auto& counts) {
    double us = 0;
    for (std::size_t i = 0; i < phases.size(); ++i)
      if (counts(phases[i].label)) us += of_phases[i];
    return us;
  };
  if (!derived) return sum([](std::string_view) { return true; });
  return derived->evaluate([&](std::string_view stage) {
    if (stage == "rest") return sum([&](std::string_view label) { return !derived->uses(label); });
    return sum([&](std::string_view label) { return label == stage; });
  });
}

std::size_t Scheme::fused() const {
  return static_cast<std::size_t>(std::ranges::count(phases, "fused", &SchemePhase::label));
}

Scheme SchemeTable::scheme(const std::string& name_or_path) const {
  const auto text = program_library::scheme(name_or_path);
  Scheme scheme = SchemeBuilder(config_, parts_, *text).build();
  if (text->from.empty()) return scheme;
  const auto other = program_library::scheme(text->from);
  const Scheme runs = SchemeBuilder(config_, parts_, *other).build();
  const auto ran = [&](const SchemePhase& phase) {
    return std::ranges::find(runs.phases, phase.phase, &SchemePhase::phase) != runs.phases.end();
  };
  for (const SchemePhase& phase : scheme.phases)
    if (runs.derived || !ran(phase))
      throw InputError(
          fmt::format("{}: from: {} does not run the stage {}", text->origin, text->from, phase.name));
  scheme.runs = runs.name;
  return scheme;
}

std::string SchemeTable::explanation() const { return describe(*collectives().plan()); }

std::string SchemeTable::exchange_key() const { return collectives().key.empty() ? "rs" : collectives().key; }

}  // namespace t3sim
