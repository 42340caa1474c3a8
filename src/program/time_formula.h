// The time of a scheme as a formula over those of its stages: "max(gemm, exchange) + rest".
//
// Numbers, names of stages, + - * /, min and max, in the grammar of base/expression_grammar.h. `rest` is the sum of the
// stages that the formula does not name.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "base/expression_grammar.h"

namespace t3sim::program {

class TimeFormula {
 public:
  using Lookup = std::function<double(std::string_view name)>;

  TimeFormula() = default;
  // Throws ExpressionError for what is no formula.
  explicit TimeFormula(std::string text);

  const std::string& text() const { return text_; }
  // With the place of the first use of each in the text.
  const std::set<std::pair<std::string, std::size_t>>& names() const { return names_; }
  bool uses(std::string_view name) const;
  double evaluate(const Lookup& value) const;

 private:
  std::string text_ = "rest";
  std::set<std::pair<std::string, std::size_t>> names_;
};

}  // namespace t3sim::program
