#include "program/knobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "program/messages.h"
#include "program/scope.h"

namespace t3sim::program {
namespace {

using config::Entry;
using config::Node;

// `gpus` and the parameters; nothing else has the same value on all GPUs before the program is evaluated.
Scope scope_of(const ProgramText& text, const Setting& setting) {
  Scope scope;
  const Node* gpus = optional(text.root, "gpus");
  scope.add("gpus", setting.gpus != 0 ? setting.gpus : gpus ? scope.evaluate(*gpus, "gpus") : 2);
  if (const Node* parameters = optional(text.root, "parameters"))
    for (const Entry& entry : parameters->entries) {
      const auto chosen = setting.parameters.find(entry.key);
      const bool is_default = chosen == setting.parameters.end();
      scope.declare(entry.key, is_default ? scope.evaluate(entry.value, "parameters") : chosen->second,
                    entry.where);
    }
  return scope;
}

std::vector<std::string> parameters_of(const ProgramText& text) {
  std::vector<std::string> names;
  if (const Node* parameters = optional(text.root, "parameters"))
    for (const Entry& entry : parameters->entries) names.push_back(entry.key);
  return names;
}

// First `halves`, then half of it, as long as halves are whole and no less than `least`.
std::vector<std::int64_t> halves_of(const Scope& scope, const Node& node) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  check_keys(node, "tune", {"halves", "least"});
  const auto value = [&](std::string_view key) {
    return scope.evaluate(Piece::whole(scalar(needed(node, key, "tune"), key)), key, 1, kMost);
  };
  const std::int64_t least = value("least");
  std::vector<std::int64_t> values{value("halves")};
  while (values.back() % 2 == 0 && values.back() / 2 >= least) values.push_back(values.back() / 2);
  return values;
}

std::vector<std::int64_t> values_of(const Scope& scope, const Node& node) {
  if (node.type == Node::Type::map) return halves_of(scope, node);
  std::vector<std::int64_t> values;
  if (node.type == Node::Type::list)
    for (const Node& item : node.items) {
      const std::int64_t value = scope.evaluate(item, "tune");
      if (value < 0) throw error_at(item.where, fmt::format("tune: {}; allowed: 0 and above", value));
      if (std::ranges::find(values, value) == values.end()) values.push_back(value);
    }
  if (values.empty())
    throw error_at(node.where, fmt::format("tune: expected a list of values or {{halves, least}}, found {}",
                                           config::what_is(node)));
  return values;
}

}  // namespace

std::vector<Knob> knobs(const ProgramText& text, const Setting& setting) {
  const Node* tune = optional(text.root, "tune");
  std::vector<Knob> found;
  if (!tune) return found;
  const std::vector<std::string> known = parameters_of(text);
  const Scope scope = scope_of(text, setting);
  for (const Entry& entry : tune->entries) {
    if (std::ranges::find(known, entry.key) == known.end())
      throw error_at(entry.where, unknown("parameter", entry.key, known));
    std::vector<std::int64_t> values = values_of(scope, entry.value);
    if (!setting.parameters.contains(entry.key)) found.push_back({entry.key, std::move(values)});
  }
  return found;
}

}  // namespace t3sim::program
