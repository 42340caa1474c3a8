// Integer expressions over named values, as files say them: "(r + 1) % n", "c != r and p >= 0", "r == 0 ? 1 : n".
//
// The grammar is that of expression_grammar.h. Truth is 1 or 0; `and`, `or` and `?` look only at the side they need. Division
// is Euclidean: a % b is never negative, and a == a / b * b + a % b.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expression_grammar.h"

namespace t3sim {

// The names that an expression may use, in the order in which evaluate() gets their values.
struct Vocabulary {
  struct Missing {
    std::string name;
    std::string why;  // "node_size is not given"
  };
  std::vector<std::string> names;
  std::vector<Missing> missing;  // that exist, but have no value now
};

// Can `word` be a name of a Vocabulary? Letters, digits, "_", not starting with a digit, and no word of the
// language.
bool is_expression_name(std::string_view word);

class Expression {
 public:
  static constexpr std::size_t kLongest = 1000;  // characters

  Expression() = default;  // 0
  // Throws ExpressionError.
  Expression(std::string_view text, const Vocabulary& vocabulary);

  // Throws ExpressionError for a division by zero and for results beyond 64 bits.
  std::int64_t evaluate(std::span<const std::int64_t> values) const;

 private:
  class Builder;
  struct Node {
    enum class Kind : std::uint8_t { number, name, operation };
    Kind kind = Kind::number;
    Operator op{};
    std::int64_t value = 0;  // of a number; of a name: its place in the vocabulary
    std::uint32_t left = 0, right = 0;
    std::uint32_t offset = 0;
  };

  std::int64_t value_of(std::uint32_t node, std::span<const std::int64_t> values) const;
  static std::int64_t combine(Operator op, std::size_t offset, std::int64_t a, std::int64_t b);

  std::vector<Node> nodes_ = {Node{}};
  std::uint32_t root_ = 0;
};

}  // namespace t3sim
