// The parsed form of a condition, and the parser's side of it: details of expression.h.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace t3sim::sweep {

// A number in bytes and seconds with the exponents of both: a bandwidth has bytes 1 and seconds -1.
struct Measure {
  double value = 0;
  int bytes = 0;
  int seconds = 0;
};

struct Expression {
  enum class Kind { number, word, key, negate, invert, binary };
  Kind kind = Kind::number;
  std::size_t at = 0;  // character of the text that messages point at
  Measure number;
  std::string text;  // the word, the key, or the operator
  std::shared_ptr<const Expression> left, right;
};

using ExpressionPtr = std::shared_ptr<const Expression>;

// What is wrong with an expression, and where in its text.
struct ExpressionError {
  std::size_t at;
  std::string message;
};

// Throws ExpressionError. Adds the keys that are used to `keys`.
ExpressionPtr parse_expression(std::string_view text, std::set<std::string, std::less<>>& keys);

// A number or a number with a unit from the front of `text`; `length` is what was read. Throws
// std::invalid_argument.
Measure read_measure(std::string_view text, std::size_t& length);

// A value of a key as config.yaml writes it: true if it is a number, with or without unit.
bool as_measure(const std::string& key, const std::string& value, Measure& measure);

}  // namespace t3sim::sweep
