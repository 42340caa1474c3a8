#include "plan/plan_names.h"

#include <fmt/format.h>

#include <utility>

#include "base/number.h"

namespace t3sim {

PlanNames::PlanNames(const PlanFile& file, const PlanSetting& setting) : file_(file) {
  add("n", setting.gpus);
  if (setting.node_size != 0)
    add("node_size", setting.node_size);
  else
    vocabulary_.missing.push_back({"node_size", "node_size is not given: the GPUs are not in nodes"});
  for (const auto& [name, parameter] : file.parameters) {
    const auto chosen = setting.parameters.find(name);
    const bool is_default = chosen == setting.parameters.end();
    const auto value = is_default ? narrow<std::int64_t>(parameter.value) : chosen->second;
    if (value < narrow<std::int64_t>(parameter.min) || value > narrow<std::int64_t>(parameter.max))
      throw InputError(fmt::format("{}: parameter {} = {}; allowed: {} to {}", file.origin, name, value,
                                   parameter.min, parameter.max));
    add(name, value);
  }
  for (const auto& [name, value] : setting.parameters)
    if (file.parameters.count(name) == 0) {
      std::vector<std::string> known;
      for (const auto& [key, parameter] : file.parameters) known.push_back(key);
      throw InputError(fmt::format("{}: has no parameter \"{}\"; allowed: {}", file.origin, name,
                                   known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
    }
}

void PlanNames::add(std::string name, std::int64_t value) {
  vocabulary_.names.push_back(std::move(name));
  values_.push_back(value);
}

LocatedExpression PlanNames::compile(const std::string& path, std::string_view text,
                                     const std::vector<std::string>& here, std::size_t offset) const {
  Vocabulary vocabulary = vocabulary_;
  vocabulary.names.insert(vocabulary.names.end(), here.begin(), here.end());
  try {
    return {Expression(text, vocabulary), path, offset};
  } catch (const ExpressionError& e) {
    throw error(path, offset + e.offset, e.what());
  }
}

std::int64_t PlanNames::evaluate(const LocatedExpression& expression, std::span<const std::int64_t> here,
                                 std::string_view of) const {
  std::vector<std::int64_t> values = values_;
  values.insert(values.end(), here.begin(), here.end());
  try {
    return expression.expression.evaluate(values);
  } catch (const ExpressionError& e) {
    throw error(expression.path, expression.offset + e.offset, fmt::format("{}{}", of, e.what()));
  }
}

InputError PlanNames::error(const std::string& path, std::size_t offset, std::string_view message) const {
  config::Location where{file_.origin};
  if (const config::Node* said = config::find_value(file_.root, path)) {
    where = said->where;
    where.column += narrow<unsigned>(offset) + said->quoted;
  }
  return InputError(fmt::format("{}: {}: {}", where.text(), path, message));
}

std::string PlanNames::values() const {
  std::string text;
  for (std::size_t i = 0; i < values_.size(); ++i)
    text += fmt::format("{}{} = {}", i == 0 ? "" : ", ", vocabulary_.names[i], values_[i]);
  return text;
}

}  // namespace t3sim
