// Recursive descent, a function a level of precedence.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "sweep/expression_tree.h"
#include "sweep/keys.h"

namespace t3sim::sweep {
namespace {

constexpr unsigned kDeepest = 100;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c); }

class Parser {
 public:
  Parser(std::string_view text, std::set<std::string, std::less<>>& keys) : text_(text), keys_(keys) {}

  ExpressionPtr parse() {
    ExpressionPtr all = disjunction();
    skip_blanks();
    if (at_ < text_.size()) fail(at_, fmt::format("unexpected \"{}\"", text_.substr(at_)));
    return all;
  }

 private:
  [[noreturn]] static void fail(std::size_t at, std::string message) {
    throw ExpressionError{at, std::move(message)};
  }

  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\n", at_), text_.size()); }

  // The first of `symbols` that comes next, taken; empty if none does. Words end where no name goes on.
  std::string take(const std::vector<std::string_view>& symbols) {
    skip_blanks();
    for (const std::string_view symbol : symbols) {
      if (!text_.substr(at_).starts_with(symbol)) continue;
      const std::size_t end = at_ + symbol.size();
      if (is_name(symbol.front()) && end < text_.size() && (is_name(text_[end]) || text_[end] == '.'))
        continue;
      at_ = end;
      return std::string(symbol);
    }
    return {};
  }

  template <class Operand>
  ExpressionPtr left_to_right(const std::vector<std::string_view>& symbols, Operand operand) {
    ExpressionPtr left = operand();
    for (;;) {
      skip_blanks();
      const std::size_t at = at_;
      const std::string symbol = take(symbols);
      if (symbol.empty()) return left;
      ExpressionPtr right = operand();
      left = std::make_shared<const Expression>(
          Expression{Expression::Kind::binary, at, {}, symbol, std::move(left), std::move(right)});
    }
  }

  ExpressionPtr disjunction() {
    return left_to_right({"or", "||"}, [&] { return conjunction(); });
  }
  ExpressionPtr conjunction() {
    return left_to_right({"and", "&&"}, [&] { return comparison(); });
  }
  ExpressionPtr comparison() {
    return left_to_right({"==", "!=", "<=", ">=", "<", ">"}, [&] { return sum(); });
  }
  ExpressionPtr sum() {
    return left_to_right({"+", "-"}, [&] { return product(); });
  }
  ExpressionPtr product() {
    return left_to_right({"*", "/", "%"}, [&] { return unary(); });
  }

  ExpressionPtr unary() {
    if (++depth_ > kDeepest) fail(at_, "nested too deeply");
    skip_blanks();
    const std::size_t at = at_;
    ExpressionPtr result;
    if (!take({"-"}).empty())
      result =
          std::make_shared<const Expression>(Expression{Expression::Kind::negate, at, {}, "-", unary(), {}});
    else if (!take({"not", "!"}).empty())
      result = std::make_shared<const Expression>(
          Expression{Expression::Kind::invert, at, {}, "not", comparison(), {}});
    else
      result = primary();
    --depth_;
    return result;
  }

  ExpressionPtr primary() {
    skip_blanks();
    if (at_ >= text_.size()) fail(at_, "expected a key or a value at the end");
    if (!take({"("}).empty()) return parenthesised();
    if (text_[at_] == '"' || text_[at_] == '\'') return quoted();
    if (is_digit(text_[at_])) return number();
    if (is_name(text_[at_])) return name();
    fail(at_, fmt::format("expected a key or a value, found \"{}\"", text_.substr(at_, 1)));
  }

  ExpressionPtr parenthesised() {
    const std::size_t open = at_ - 1;
    ExpressionPtr inside = disjunction();
    if (take({")"}).empty()) fail(open, "this ( is not closed");
    return inside;
  }

  ExpressionPtr quoted() {
    const std::size_t at = at_, end = text_.find(text_[at_], at_ + 1);
    if (end == text_.npos) fail(at, "this quote is not closed");
    at_ = end + 1;
    return leaf(Expression::Kind::word, at, std::string(text_.substr(at + 1, end - at - 1)));
  }

  ExpressionPtr number() {
    std::size_t length = 0;
    try {
      const Measure measure = read_measure(text_.substr(at_), length);
      const std::size_t at = std::exchange(at_, at_ + length);
      return std::make_shared<const Expression>(
          Expression{Expression::Kind::number, at, measure, "", {}, {}});
    } catch (const std::invalid_argument& e) {
      fail(at_, e.what());
    }
  }

  // With dots a key, without them a word, as no value of a configuration stands outside a section.
  ExpressionPtr name() {
    const std::size_t at = at_;
    while (at_ < text_.size() && (is_name(text_[at_]) || text_[at_] == '.')) ++at_;
    std::string name(text_.substr(at, at_ - at));
    const bool key = name == "preset" || name.find('.') != name.npos;
    if (!key) return leaf(Expression::Kind::word, at, std::move(name));
    const config::KeyHelp* help = Keys::all().find(name);
    if (name != "preset" && (!help || help->kind == "section")) fail(at, Keys::all().unknown(name));
    keys_.insert(name);
    return leaf(Expression::Kind::key, at, std::move(name));
  }

  static ExpressionPtr leaf(Expression::Kind kind, std::size_t at, std::string text) {
    return std::make_shared<const Expression>(Expression{kind, at, {}, std::move(text), {}, {}});
  }

  std::string_view text_;
  std::set<std::string, std::less<>>& keys_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
};

}  // namespace

ExpressionPtr parse_expression(std::string_view text, std::set<std::string, std::less<>>& keys) {
  return Parser(text, keys).parse();
}

}  // namespace t3sim::sweep
