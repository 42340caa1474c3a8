// Schemes as phases: what a scheme's text (program/scheme.h) makes every GPU do, for the collective of the
// configuration.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program/time_formula.h"
#include "run/scheme_parts.h"

namespace t3sim {

struct SchemePhase {
  Phase phase;
  std::string name;      // for people and stats.csv
  std::string time_key;  // of results.json
  std::string label;     // in formulas (program/scheme.h)
};

// A scheme: the phases that its numbers come from. Its time is their sum, or a formula over them.
struct Scheme {
  std::string name;  // in results
  std::string runs;  // whose runs its numbers come from: its own, unless its text says `from`
  std::optional<program::TimeFormula> derived;
  ExchangeForm exchange;  // the form in which it has the collective
  std::vector<SchemePhase> phases;

  // `of_phases`: in their order, in us.
  double time_us(const std::vector<double>& of_phases) const;
  // Phases in which GEMM and collective overlap.
  std::size_t fused() const;
};

// Does any scheme of the configuration have more than the kernel alone? Throws InputError for one that there is not.
bool runs_collective(const Config& config);

class SchemeTable {
 public:
  // Throws InputError when the collective's plan cannot be.
  explicit SchemeTable(const Config& config) : config_(config), parts_(config, runs_collective(config)) {}

  // By its name or its file. Throws InputError for a text that does not fit the configuration.
  Scheme scheme(const std::string& name_or_path) const;
  const Collectives& collectives() const { return parts_.collectives(); }
  // Are there phases beside those of GEMM and collective?
  bool has_other_traffic() const { return parts_.has_other_traffic(); }
  // What --explain prints.
  std::string explanation() const;
  // Key under which the exchange is reported: "rs", "ag" or "a2a".
  std::string exchange_key() const;

 private:
  const Config& config_;
  mutable SchemeParts parts_;  // makes what schemes ask for, once
};

}  // namespace t3sim
