#include "program/time_formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace t3sim::program {
namespace {

// Evaluates while it parses.
class Evaluation {
 public:
  using Node = double;

  explicit Evaluation(const std::function<double(std::string_view, std::size_t)>& value) : value_(value) {}

  std::string_view operands() const { return "a number, the name of a stage"; }
  Node number(std::string_view rest, std::size_t at, std::size_t& length) const {
    double value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc()) throw ExpressionError(at, "is no number");
    length = static_cast<std::size_t>(end - rest.data());
    return value;
  }
  Node name(std::string_view word, std::size_t at) const { return value_(word, at); }
  Node unary(Operator op, std::size_t at, Node operand) const {
    if (op != Operator::negate) refuse(op, at);
    return -operand;
  }
  Node binary(Operator op, std::size_t at, Node left, Node right) const {
    switch (op) {
      case Operator::add:
        return left + right;
      case Operator::subtract:
        return left - right;
      case Operator::multiply:
        return left * right;
      case Operator::divide:
        return left / right;
      case Operator::min:
        return std::min(left, right);
      case Operator::max:
        return std::max(left, right);
      default:
        refuse(op, at);
    }
  }

 private:
  [[noreturn]] static void refuse(Operator op, std::size_t at) {
    throw ExpressionError(at, fmt::format("{}: of times there are + - * / min max", to_string(op)));
  }

  const std::function<double(std::string_view, std::size_t)>& value_;
};

}  // namespace

TimeFormula::TimeFormula(std::string text) : text_(std::move(text)) {
  const std::function<double(std::string_view, std::size_t)> note = [&](std::string_view word,
                                                                        std::size_t at) {
    if (!uses(word)) names_.emplace(word, at);
    return 1.0;
  };
  Evaluation evaluation(note);
  ExpressionGrammar(text_, evaluation).whole();
}

bool TimeFormula::uses(std::string_view name) const {
  return std::ranges::any_of(names_, [&](const auto& known) { return known.first == name; });
}

double TimeFormula::evaluate(const Lookup& value) const {
  const std::function<double(std::string_view, std::size_t)> look_up =
      [&](std::string_view word, std::size_t) { return value(word); };
  Evaluation evaluation(look_up);
  return ExpressionGrammar(text_, evaluation).whole();
}

}  // namespace t3sim::program
