#include "base/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <utility>

#include "base/nearest.h"

namespace t3sim {
namespace {

constexpr unsigned kDeepest = 100;  // parentheses, signs and nots
constexpr std::array<std::string_view, 5> kWords = {"and", "or", "not", "min", "max"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

bool is_expression_name(std::string_view word) {
  return !word.empty() && is_letter(word[0]) &&
         std::ranges::all_of(word, [](char c) { return is_letter(c) || is_digit(c); }) &&
         std::ranges::find(kWords, word) == kWords.end();
}

// Recursive descent, a function a level of precedence; each returns the number of the node it has made.
class ExpressionParser {
 public:
  using Kind = Expression::Kind;
  using Node = Expression::Node;

  ExpressionParser(std::string_view text, const Vocabulary& vocabulary, std::vector<Node>& nodes)
      : text_(text), vocabulary_(vocabulary), nodes_(nodes) {
    next();
  }

  std::uint32_t whole() {
    const std::uint32_t root = either();
    if (!token_.empty()) fail(fmt::format("expected an operator or the end, found {}", found()));
    return root;
  }

 private:
  using Level = std::uint32_t (ExpressionParser::*)();
  struct Operator {
    std::string_view token;
    Kind kind;
  };

  std::uint32_t either() { return chain({{"or", Kind::or_}}, &ExpressionParser::both); }
  std::uint32_t both() { return chain({{"and", Kind::and_}}, &ExpressionParser::negation); }
  std::uint32_t sum() { return chain({{"+", Kind::add}, {"-", Kind::subtract}}, &ExpressionParser::product); }
  std::uint32_t product() {
    return chain({{"*", Kind::multiply}, {"/", Kind::divide}, {"%", Kind::modulo}}, &ExpressionParser::sign);
  }

  std::uint32_t negation() { return prefix("not", Kind::not_, &ExpressionParser::comparison); }
  std::uint32_t sign() { return prefix("-", Kind::negate, &ExpressionParser::primary); }

  std::uint32_t comparison() {
    const std::uint32_t left = sum();
    const Operator* op = comparison_operator();
    if (!op) return left;
    const std::size_t at = start_;
    next();
    const std::uint32_t made = add({op->kind, 0, left, sum(), offset(at)});
    if (comparison_operator()) fail("comparisons do not chain; join them with and");
    return made;
  }

  std::uint32_t primary() {
    if (token_ == "(") return parenthesised();
    if (token_ == "min" || token_ == "max") return function();
    if (!token_.empty() && is_digit(token_[0])) return number();
    if (is_expression_name(token_)) return name();
    fail(fmt::format("expected a number, a name, -, not, min, max or (, found {}", found()));
  }

  std::uint32_t parenthesised() {
    const Deeper deeper(*this);
    next();
    const std::uint32_t inner = either();
    take(")");
    return inner;
  }
  std::uint32_t function() {
    const Deeper deeper(*this);
    const Kind kind = token_ == "min" ? Kind::min : Kind::max;
    const std::size_t at = start_;
    next();
    take("(");
    const std::uint32_t left = either();
    take(",");
    const std::uint32_t right = either();
    take(")");
    return add({kind, 0, left, right, offset(at)});
  }
  std::uint32_t number() {
    std::int64_t value = 0;
    for (const char digit : token_) {
      if (!is_digit(digit)) fail(fmt::format("\"{}\" is neither a number nor a name", token_));
      if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, digit - '0', &value))
        fail(fmt::format("\"{}\" is too large", token_));
    }
    const std::size_t at = start_;
    next();
    return add({Kind::number, value, 0, 0, offset(at)});
  }
  std::uint32_t name() {
    const auto it = std::ranges::find(vocabulary_.names, token_);
    if (it == vocabulary_.names.end()) fail(unknown_name());
    const std::size_t at = start_;
    next();
    return add({Kind::name, it - vocabulary_.names.begin(), 0, 0, offset(at)});
  }

  std::string unknown_name() const {
    for (const Vocabulary::Missing& missing : vocabulary_.missing)
      if (missing.name == token_) return missing.why;
    const std::string near = nearest(token_, vocabulary_.names);
    return fmt::format("unknown name \"{}\"; allowed here: {}{}", token_, fmt::join(vocabulary_.names, ", "),
                       near.empty() || token_.size() == 1 ? "" : fmt::format("; did you mean {}?", near));
  }

  // Operators of one level, from left to right.
  std::uint32_t chain(std::initializer_list<Operator> operators, Level operand) {
    std::uint32_t left = (this->*operand)();
    for (;;) {
      const auto* op = std::ranges::find(operators, token_, &Operator::token);
      if (op == operators.end()) return left;
      const std::size_t at = start_;
      next();
      const std::uint32_t right = (this->*operand)();
      left = add({op->kind, 0, left, right, offset(at)});
    }
  }
  std::uint32_t prefix(std::string_view token, Kind kind, Level operand) {
    if (token_ != token) return (this->*operand)();
    const Deeper deeper(*this);
    const std::size_t at = start_;
    next();
    return add({kind, 0, prefix(token, kind, operand), 0, offset(at)});
  }

  const Operator* comparison_operator() const {
    static constexpr Operator kComparisons[] = {{"==", Kind::equal},  {"!=", Kind::unequal},
                                                {"<", Kind::less},    {"<=", Kind::less_equal},
                                                {">", Kind::greater}, {">=", Kind::greater_equal}};
    const auto* op = std::ranges::find(kComparisons, token_, &Operator::token);
    return op == std::end(kComparisons) ? nullptr : op;
  }

  // Nesting, bounded so that no input can exhaust the stack.
  struct Deeper {
    explicit Deeper(ExpressionParser& parser) : depth(parser.depth_) {
      if (++depth > kDeepest) parser.fail("nested too deeply");
    }
    ~Deeper() { --depth; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    unsigned& depth;
  };

  void next() {
    start_ = end_;
    while (start_ < text_.size() && (text_[start_] == ' ' || text_[start_] == '\n')) ++start_;
    end_ = start_;
    while (end_ < text_.size() && (is_letter(text_[end_]) || is_digit(text_[end_]))) ++end_;
    if (end_ == start_ && end_ < text_.size()) end_ += symbol_length();
    token_ = text_.substr(start_, end_ - start_);
  }
  std::size_t symbol_length() const {
    const bool equals = start_ + 1 < text_.size() && text_[start_ + 1] == '=';
    return equals && std::string_view("=!<>").find(text_[start_]) != std::string_view::npos ? 2 : 1;
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
  static std::uint32_t offset(std::size_t at) { return static_cast<std::uint32_t>(at); }
  std::uint32_t add(const Node& node) {
    nodes_.push_back(node);
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  std::string_view text_;
  const Vocabulary& vocabulary_;
  std::vector<Node>& nodes_;
  std::string_view token_;  // empty: the end
  std::size_t start_ = 0, end_ = 0;
  unsigned depth_ = 0;
};

Expression::Expression(std::string_view text, const Vocabulary& vocabulary) {
  if (text.size() > kLongest) throw ExpressionError(0, fmt::format("longer than {} characters", kLongest));
  nodes_.clear();
  root_ = ExpressionParser(text, vocabulary, nodes_).whole();
}

std::int64_t Expression::evaluate(std::span<const std::int64_t> values) const {
  return value_of(root_, values);
}

std::int64_t Expression::value_of(std::uint32_t index, std::span<const std::int64_t> values) const {
  const Node& node = nodes_[index];
  switch (node.kind) {
    case Kind::number:
      return node.value;
    case Kind::name:
      return values[static_cast<std::size_t>(node.value)];
    case Kind::and_:
      return value_of(node.left, values) != 0 && value_of(node.right, values) != 0;
    case Kind::or_:
      return value_of(node.left, values) != 0 || value_of(node.right, values) != 0;
    case Kind::not_:
      return value_of(node.left, values) == 0;
    case Kind::negate:
      return combine({Kind::subtract, 0, 0, 0, node.offset}, 0, value_of(node.left, values));
    default:
      return combine(node, value_of(node.left, values), value_of(node.right, values));
  }
}

std::int64_t Expression::combine(const Node& node, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  const auto in_range = [&](bool overflow) {
    if (overflow) throw ExpressionError(node.offset, "the result is beyond 64 bits");
    return result;
  };
  const auto remainder = [&] {
    if (b == 0) throw ExpressionError(node.offset, "division by zero");
    if (b == -1) return std::int64_t{0};
    const std::int64_t r = a % b;
    return r >= 0 ? r : (b > 0 ? r + b : r - b);
  };
  switch (node.kind) {
    case Kind::add:
      return in_range(__builtin_add_overflow(a, b, &result));
    case Kind::subtract:
      return in_range(__builtin_sub_overflow(a, b, &result));
    case Kind::multiply:
      return in_range(__builtin_mul_overflow(a, b, &result));
    case Kind::divide: {
      const std::int64_t r = remainder();
      in_range(__builtin_sub_overflow(a, r, &result) ||
               (b == -1 && result == std::numeric_limits<std::int64_t>::min()));
      return result / b;
    }
    case Kind::modulo:
      return remainder();
    case Kind::equal:
      return a == b;
    case Kind::unequal:
      return a != b;
    case Kind::less:
      return a < b;
    case Kind::less_equal:
      return a <= b;
    case Kind::greater:
      return a > b;
    case Kind::greater_equal:
      return a >= b;
    case Kind::min:
      return std::min(a, b);
    case Kind::max:
      return std::max(a, b);
    default:
      return 0;  // evaluated by value_of
  }
}

}  // namespace t3sim
