// The language of conditions: keys, words, and numbers with units.
#include <stdexcept>

#include "sweep/expression_tree.h"
#include "sweep/keys.h"

namespace t3sim::sweep {
namespace {

class Builder {
 public:
  using Node = ExpressionPtr;

  explicit Builder(std::set<std::string, std::less<>>& keys) : keys_(keys) {}

  std::string_view operands() const { return "a key, a value"; }

  Node number(std::string_view rest, std::size_t at, std::size_t& length) {
    try {
      const Measure measure = read_measure(rest, length);
      return make({Expression::Kind::number, at, measure, "", {}, {}, {}});
    } catch (const std::invalid_argument& e) {
      throw ExpressionError(at, e.what());
    }
  }
  // With dots a key, without them a word, as no value of a configuration stands outside a section.
  Node name(std::string_view word, std::size_t at) {
    const bool key = word == "preset" || word.find('.') != word.npos;
    std::string text(word);
    if (!key) return quoted(word, at);
    const config::KeyHelp* help = Keys::all().find(text);
    if (text != "preset" && (!help || help->kind == "section"))
      throw ExpressionError(at, Keys::all().unknown(text));
    keys_.insert(text);
    return make({Expression::Kind::key, at, {}, std::move(text), {}, {}, {}});
  }
  Node quoted(std::string_view word, std::size_t at) {
    return make({Expression::Kind::word, at, {}, std::string(word), {}, {}, {}});
  }
  Node unary(Operator op, std::size_t at, Node operand) {
    return make({Expression::Kind::operation, at, {}, "", op, std::move(operand), {}});
  }
  Node binary(Operator op, std::size_t at, Node left, Node right) {
    return make({Expression::Kind::operation, at, {}, "", op, std::move(left), std::move(right)});
  }

 private:
  static Node make(Expression expression) {
    return std::make_shared<const Expression>(std::move(expression));
  }

  std::set<std::string, std::less<>>& keys_;
};

}  // namespace

ExpressionPtr parse_expression(std::string_view text, std::set<std::string, std::less<>>& keys) {
  Builder builder(keys);
  return ExpressionGrammar(text, builder).whole();
}

}  // namespace t3sim::sweep
