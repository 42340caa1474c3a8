#include "base/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/nearest.h"

namespace t3sim {
namespace {

constexpr std::array<std::string_view, 5> kWords = {"and", "or", "not", "min", "max"};

using expression::is_digit;
using expression::is_letter;

}  // namespace

bool is_expression_name(std::string_view word) {
  return !word.empty() && is_letter(word[0]) &&
         std::ranges::all_of(word, [](char c) { return is_letter(c) || is_digit(c); }) &&
         std::ranges::find(kWords, word) == kWords.end();
}

// The language of integers and names: makes the nodes of an expression.
class Expression::Builder {
 public:
  using Node = std::uint32_t;  // its place

  Builder(const Vocabulary& vocabulary, std::vector<Expression::Node>& nodes)
      : vocabulary_(vocabulary), nodes_(nodes) {}

  std::string_view operands() const { return "a number, a name"; }

  Node number(std::string_view rest, std::size_t at, std::size_t& length) {
    while (length < rest.size() && (is_letter(rest[length]) || is_digit(rest[length]))) ++length;
    const std::string_view token = rest.substr(0, length);
    std::int64_t value = 0;
    for (const char digit : token) {
      if (!is_digit(digit)) fail(at, fmt::format("\"{}\" is neither a number nor a name", token));
      if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, digit - '0', &value))
        fail(at, fmt::format("\"{}\" is too large", token));
    }
    return add({Kind::number, {}, value, 0, 0, offset(at)});
  }
  Node name(std::string_view word, std::size_t at) {
    const auto it = std::ranges::find(vocabulary_.names, word);
    if (it == vocabulary_.names.end()) fail(at, unknown(word));
    return add({Kind::name, {}, it - vocabulary_.names.begin(), 0, 0, offset(at)});
  }
  Node unary(Operator op, std::size_t at, Node operand) {
    return add({Kind::operation, op, 0, operand, 0, offset(at)});
  }
  Node binary(Operator op, std::size_t at, Node left, Node right) {
    return add({Kind::operation, op, 0, left, right, offset(at)});
  }
  Node choice(std::size_t at, Node condition, Node then, Node otherwise) {
    return binary(Operator::choose, at, condition, binary(Operator::alternatives, at, then, otherwise));
  }

 private:
  using Kind = Expression::Node::Kind;

  std::string unknown(std::string_view word) const {
    for (const Vocabulary::Missing& missing : vocabulary_.missing)
      if (missing.name == word) return missing.why;
    const std::string near = nearest(word, vocabulary_.names);
    return fmt::format("unknown name \"{}\"; allowed here: {}{}", word, fmt::join(vocabulary_.names, ", "),
                       near.empty() || word.size() == 1 ? "" : fmt::format("; did you mean {}?", near));
  }
  [[noreturn]] static void fail(std::size_t at, const std::string& message) {
    throw ExpressionError(at, message);
  }
  static std::uint32_t offset(std::size_t at) { return static_cast<std::uint32_t>(at); }
  Node add(const Expression::Node& node) {
    nodes_.push_back(node);
    return static_cast<Node>(nodes_.size() - 1);
  }

  const Vocabulary& vocabulary_;
  std::vector<Expression::Node>& nodes_;
};

Expression::Expression(std::string_view text, const Vocabulary& vocabulary) {
  if (text.size() > kLongest) throw ExpressionError(0, fmt::format("longer than {} characters", kLongest));
  nodes_.clear();
  Builder builder(vocabulary, nodes_);
  root_ = ExpressionGrammar(text, builder).whole();
}

std::int64_t Expression::evaluate(std::span<const std::int64_t> values) const {
  return value_of(root_, values);
}

std::int64_t Expression::value_of(std::uint32_t index, std::span<const std::int64_t> values) const {
  const Node& node = nodes_[index];
  if (node.kind == Node::Kind::number) return node.value;
  if (node.kind == Node::Kind::name) return values[static_cast<std::size_t>(node.value)];
  const auto left = [&] { return value_of(node.left, values); };
  const auto right = [&] { return value_of(node.right, values); };
  switch (node.op) {
    case Operator::and_:
      return left() != 0 && right() != 0;
    case Operator::or_:
      return left() != 0 || right() != 0;
    case Operator::not_:
      return left() == 0;
    case Operator::choose: {
      const Node& sides = nodes_[node.right];
      return value_of(left() != 0 ? sides.left : sides.right, values);
    }
    case Operator::negate:
      return combine(Operator::subtract, node.offset, 0, left());
    default: {
      const std::int64_t first = left();
      return combine(node.op, node.offset, first, right());
    }
  }
}

std::int64_t Expression::combine(Operator op, std::size_t offset, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  const auto in_range = [&](bool overflow) {
    if (overflow) throw ExpressionError(offset, "the result is beyond 64 bits");
    return result;
  };
  const auto remainder = [&] {
    if (b == 0) throw ExpressionError(offset, "division by zero");
    if (b == -1) return std::int64_t{0};
    const std::int64_t r = a % b;
    return r >= 0 ? r : (b > 0 ? r + b : r - b);
  };
  switch (op) {
    case Operator::add:
      return in_range(__builtin_add_overflow(a, b, &result));
    case Operator::subtract:
      return in_range(__builtin_sub_overflow(a, b, &result));
    case Operator::multiply:
      return in_range(__builtin_mul_overflow(a, b, &result));
    case Operator::divide: {
      const std::int64_t r = remainder();
      in_range(__builtin_sub_overflow(a, r, &result) ||
               (b == -1 && result == std::numeric_limits<std::int64_t>::min()));
      return result / b;
    }
    case Operator::modulo:
      return remainder();
    case Operator::equal:
      return a == b;
    case Operator::unequal:
      return a != b;
    case Operator::less:
      return a < b;
    case Operator::less_equal:
      return a <= b;
    case Operator::greater:
      return a > b;
    case Operator::greater_equal:
      return a >= b;
    case Operator::min:
      return std::min(a, b);
    case Operator::max:
      return std::max(a, b);
    default:
      return 0;  // evaluated by value_of
  }
}

}  // namespace t3sim
