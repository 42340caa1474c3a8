// The one grammar of expressions, shared by those of collectives (base/expression.h, integers) and of conditions
// (sweep/expression.h, quantities with units).
//
// Loosest first: c ? a : b (of languages that have it), or, and, not, comparisons (== != < <= > >=, not chained), + -, * / %, unary -, parentheses,
// min(a, b), max(a, b). What numbers and names are, and what becomes of them, a Language says:
//
//   using Node = ...;                                                  a parsed part
//   std::string_view operands() const;                                 "a number, a name": for messages
//   Node number(std::string_view rest, std::size_t at, std::size_t& length);   `rest` begins with a digit
//   Node name(std::string_view word, std::size_t at);
//   Node quoted(std::string_view word, std::size_t at);                optional
//   Node unary(Operator op, std::size_t at, Node operand);
//   Node binary(Operator op, std::size_t at, Node left, Node right);
//   Node choice(std::size_t at, Node condition, Node then, Node otherwise);   optional: c ? a : b
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/names.h"

namespace t3sim {

// What is wrong with an expression, and at which character of it.
struct ExpressionError : std::runtime_error {
  ExpressionError(std::size_t at, const std::string& message) : std::runtime_error(message), offset(at) {}
  std::size_t offset;
};

enum class Operator : std::uint8_t {
  negate,
  not_,
  add,
  subtract,
  multiply,
  divide,
  modulo,
  equal,
  unequal,
  less,
  less_equal,
  greater,
  greater_equal,
  and_,
  or_,
  min,
  max,
  choose,        // c ? a : b: the condition, and
  alternatives,  // a and b
};
constexpr auto names_of(Operator) {
  using enum Operator;
  return std::array{
      Named{"-", subtract},       Named{"-", negate}, Named{"not", not_},      Named{"+", add},
      Named{"*", multiply},       Named{"/", divide}, Named{"%", modulo},      Named{"==", equal},
      Named{"!=", unequal},       Named{"<", less},   Named{"<=", less_equal}, Named{">", greater},
      Named{">=", greater_equal}, Named{"and", and_}, Named{"or", or_},        Named{"min", min},
      Named{"max", max}};
}

namespace expression {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace expression

// Recursive descent, a function per level of precedence. Throws ExpressionError.
template <class Language>
class ExpressionGrammar {
 public:
  using Node = typename Language::Node;

  ExpressionGrammar(std::string_view text, Language& language) : text_(text), language_(language) { next(); }

  Node whole() {
    Node root = choice();
    if (!token_.empty()) fail(fmt::format("expected an operator or the end, found {}", found()));
    return root;
  }

 private:
  static constexpr unsigned kDeepest = 100;  // parentheses, signs and nots
  using Level = Node (ExpressionGrammar::*)();
  using Operators = std::initializer_list<Operator>;

  Node choice() {
    Node condition = either();
    if constexpr (requires { language_.choice(start_, condition, condition, condition); }) {
      if (token_ != "?") return condition;
      const Deeper deeper(*this);
      const std::size_t at = start_;
      next();
      Node then = choice();
      take(":");
      Node otherwise = choice();
      return language_.choice(at, std::move(condition), std::move(then), std::move(otherwise));
    }
    return condition;
  }
  Node either() { return chain({Operator::or_}, &ExpressionGrammar::both); }
  Node both() { return chain({Operator::and_}, &ExpressionGrammar::negation); }
  Node sum() { return chain({Operator::add, Operator::subtract}, &ExpressionGrammar::product); }
  Node product() {
    return chain({Operator::multiply, Operator::divide, Operator::modulo}, &ExpressionGrammar::sign);
  }
  Node negation() { return prefix(Operator::not_, &ExpressionGrammar::comparison); }
  Node sign() { return prefix(Operator::negate, &ExpressionGrammar::primary); }

  Node comparison() {
    Node left = sum();
    const std::optional<Operator> op = comparison_operator();
    if (!op) return left;
    const std::size_t at = start_;
    next();
    Node right = sum();
    if (comparison_operator()) fail("comparisons do not chain; join them with and");
    return language_.binary(*op, at, std::move(left), std::move(right));
  }

  Node primary() {
    if (token_ == "(") return parenthesised();
    if (token_ == "min" || token_ == "max") return function();
    if (!token_.empty() && expression::is_digit(token_[0])) return number();
    if (is_name()) return taken(language_.name(token_, start_));
    if constexpr (requires { language_.quoted(token_, start_); })
      if (token_ == "\"" || token_ == "'") return quoted();
    fail(fmt::format("expected {}, -, not, min, max or (, found {}", language_.operands(), found()));
  }

  Node parenthesised() {
    const Deeper deeper(*this);
    next();
    Node inner = choice();
    take(")");
    return inner;
  }
  Node function() {
    const Deeper deeper(*this);
    const Operator op = token_ == "min" ? Operator::min : Operator::max;
    const std::size_t at = start_;
    next();
    take("(");
    Node left = choice();
    take(",");
    Node right = choice();
    take(")");
    return language_.binary(op, at, std::move(left), std::move(right));
  }
  Node number() {
    std::size_t length = 0;
    Node node = language_.number(text_.substr(start_), start_, length);
    end_ = start_ + length;
    return taken(std::move(node));
  }
  Node quoted() {
    const std::size_t close = text_.find(token_[0], end_);
    if (close == text_.npos) fail("this quote is not closed");
    Node node = language_.quoted(text_.substr(end_, close - end_), start_);
    end_ = close + 1;
    return taken(std::move(node));
  }
  Node taken(Node node) {
    next();
    return node;
  }

  // Operators of one level, from left to right.
  Node chain(Operators operators, Level operand) {
    Node left = (this->*operand)();
    while (const std::optional<Operator> op = one_of(operators)) {
      const std::size_t at = start_;
      next();
      Node right = (this->*operand)();
      left = language_.binary(*op, at, std::move(left), std::move(right));
    }
    return left;
  }
  Node prefix(Operator op, Level operand) {
    if (token_ != to_string(op)) return (this->*operand)();
    const Deeper deeper(*this);
    const std::size_t at = start_;
    next();
    return language_.unary(op, at, prefix(op, operand));
  }
  std::optional<Operator> one_of(Operators operators) const {
    for (const Operator op : operators)
      if (token_ == to_string(op)) return op;
    return std::nullopt;
  }
  std::optional<Operator> comparison_operator() const {
    using enum Operator;
    return one_of({equal, unequal, less, less_equal, greater, greater_equal});
  }

  // Nesting, bounded so that no input can exhaust the stack.
  struct Deeper {
    explicit Deeper(ExpressionGrammar& grammar) : depth(grammar.depth_) {
      if (++depth > kDeepest) grammar.fail("nested too deeply");
    }
    ~Deeper() { --depth; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    unsigned& depth;
  };

  // A word, in which dots may be, or a symbol.
  void next() {
    start_ = end_;
    while (start_ < text_.size() && is_blank(text_[start_])) ++start_;
    end_ = start_;
    while (end_ < text_.size() && goes_on(text_[end_])) ++end_;
    if (end_ == start_ && end_ < text_.size()) end_ += symbol_length();
    token_ = text_.substr(start_, end_ - start_);
  }
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }
  bool goes_on(char c) const {
    return expression::is_letter(c) || expression::is_digit(c) || (c == '.' && end_ > start_);
  }
  std::size_t symbol_length() const {
    const bool equals = start_ + 1 < text_.size() && text_[start_ + 1] == '=';
    return equals && std::string_view("=!<>").find(text_[start_]) != std::string_view::npos ? 2 : 1;
  }
  bool is_name() const {
    return !token_.empty() && expression::is_letter(token_[0]) && token_ != "and" && token_ != "or" &&
           token_ != "not" && token_ != "min" && token_ != "max";
  }
  void take(std::string_view token) {
    if (token_ != token) fail(fmt::format("expected {}, found {}", token, found()));
    next();
  }
  // The token as messages show it, with what was probably meant.
  std::string found() const {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kMeant = {
        {{"=", "=="}, {"&", "and"}, {"|", "or"}, {"!", "not"}}};
    for (const auto& [sign, meant] : kMeant)
      if (token_ == sign) return fmt::format("\"{}\"; did you mean {}?", sign, meant);
    return token_.empty() ? "the end" : fmt::format("\"{}\"", token_);
  }
  [[noreturn]] void fail(const std::string& message) const { throw ExpressionError(start_, message); }

  std::string_view text_;
  Language& language_;
  std::string_view token_;  // empty: the end
  std::size_t start_ = 0, end_ = 0;
  unsigned depth_ = 0;
};

}  // namespace t3sim
