#include "sweep/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "base/error.h"
#include "base/number.h"
#include "sweep/expression_tree.h"

namespace t3sim::sweep {
namespace {

using Value = std::variant<bool, Measure, std::string>;

[[noreturn]] void fail(const Expression& e, const std::string& message) {
  throw ExpressionError(e.at, message);
}

bool same_units(const Measure& a, const Measure& b) { return a.bytes == b.bytes && a.seconds == b.seconds; }

std::string units_of(const Measure& m) {
  if (m.bytes == 0 && m.seconds == 0) return "a plain number";
  if (m.bytes == 1 && m.seconds == -1) return "a bandwidth";
  if (m.bytes == 1 && m.seconds == 0) return "a size";
  if (m.bytes == 0 && m.seconds == 1) return "a time";
  if (m.bytes == 0 && m.seconds == -1) return "a frequency";
  return fmt::format("bytes^{} seconds^{}", m.bytes, m.seconds);
}

class Evaluator {
 public:
  explicit Evaluator(const KeyValues& values) : values_(values) {}

  bool truth(const Expression& e) const {
    const Value value = evaluate(e);
    if (const bool* b = std::get_if<bool>(&value)) return *b;
    fail(e, "expected a comparison here, such as gpus.count <= 8");
  }

 private:
  Value evaluate(const Expression& e) const {
    switch (e.kind) {
      case Expression::Kind::number:
        return e.number;
      case Expression::Kind::word:
        return e.text;
      case Expression::Kind::key:
        return key(e);
      case Expression::Kind::operation:
        return operation(e);
    }
    return false;
  }

  Value key(const Expression& e) const {
    const auto it = values_.find(e.text);
    const std::string text = it == values_.end() ? "" : it->second;
    Measure m;
    if (e.text != "preset" && as_measure(e.text, text, m)) return m;
    return text;
  }

  Measure measure(const Expression& e) const {
    const Value value = evaluate(e);
    if (const Measure* m = std::get_if<Measure>(&value)) return *m;
    const std::string* word = std::get_if<std::string>(&value);
    fail(e, word ? fmt::format("expected a number, found \"{}\"", *word) : "expected a number");
  }

  Value operation(const Expression& e) const {
    switch (e.op) {
      case Operator::and_:
        return truth(*e.left) && truth(*e.right);
      case Operator::or_:
        return truth(*e.left) || truth(*e.right);
      case Operator::not_:
        return !truth(*e.left);
      case Operator::equal:
        return equal(e);
      case Operator::unequal:
        return !equal(e);
      case Operator::negate: {
        const Measure m = measure(*e.left);
        return Measure{-m.value, m.bytes, m.seconds};
      }
      default:
        return arithmetic(e, measure(*e.left), measure(*e.right));
    }
  }

  static Value arithmetic(const Expression& e, const Measure& a, const Measure& b) {
    if (e.op == Operator::multiply)
      return Measure{a.value * b.value, a.bytes + b.bytes, a.seconds + b.seconds};
    if (e.op == Operator::divide) return quotient(e, a, b);
    need_same_units(e, a, b);
    const auto with_units = [&](double value) { return Measure{value, a.bytes, a.seconds}; };
    switch (e.op) {
      case Operator::less:
        return a.value < b.value;
      case Operator::less_equal:
        return a.value <= b.value;
      case Operator::greater:
        return a.value > b.value;
      case Operator::greater_equal:
        return a.value >= b.value;
      case Operator::add:
        return with_units(a.value + b.value);
      case Operator::subtract:
        return with_units(a.value - b.value);
      case Operator::min:
        return with_units(std::min(a.value, b.value));
      case Operator::max:
        return with_units(std::max(a.value, b.value));
      default:
        if (b.value == 0) fail(e, "division by 0");
        return with_units(std::fmod(a.value, b.value));
    }
  }

  static Measure quotient(const Expression& e, const Measure& a, const Measure& b) {
    if (b.value == 0) fail(e, "division by 0");
    return {a.value / b.value, a.bytes - b.bytes, a.seconds - b.seconds};
  }

  // A key that holds a word or a number ("tracker.capacity") may be compared with either.
  bool equal(const Expression& e) const {
    need_choice(*e.left, *e.right);
    need_choice(*e.right, *e.left);
    const Value a = evaluate(*e.left), b = evaluate(*e.right);
    if (a.index() != b.index()) return false;
    if (const std::string* word = std::get_if<std::string>(&a)) return *word == std::get<std::string>(b);
    if (const bool* truth_value = std::get_if<bool>(&a)) return *truth_value == std::get<bool>(b);
    need_same_units(e, std::get<Measure>(a), std::get<Measure>(b));
    return std::get<Measure>(a).value == std::get<Measure>(b).value;
  }

  // A mistyped word would silently never be equal.
  static void need_choice(const Expression& key, const Expression& word) {
    if (key.kind != Expression::Kind::key || word.kind != Expression::Kind::word) return;
    const config::KeyHelp* help = Keys::all().find(key.text);
    if (!help || help->allowed.find(" | ") == help->allowed.npos) return;
    if (fmt::format(" {} ", help->allowed).find(fmt::format(" {} ", word.text)) == std::string::npos)
      fail(word, fmt::format("{} is never \"{}\"; allowed: {}", key.text, word.text, help->allowed));
  }

  // 0 needs no unit, as in the configuration.
  static void need_same_units(const Expression& e, const Measure& a, const Measure& b) {
    if (same_units(a, b)) return;
    const bool a_zero = a.value == 0 && same_units(a, {}), b_zero = b.value == 0 && same_units(b, {});
    if (!a_zero && !b_zero)
      fail(e, fmt::format("\"{}\" between {} and {}: units do not go together", to_string(e.op), units_of(a),
                          units_of(b)));
  }

  const KeyValues& values_;
};

InputError error_at(config::Location where, const ExpressionError& error) {
  if (where.line != 0) where.column += narrow<unsigned>(error.offset);
  return InputError(fmt::format("{}: where: {}", where.text(), error.what()));
}

}  // namespace

Condition::Condition(std::string text, config::Location where)
    : text_(std::move(text)), where_(std::move(where)) {
  try {
    root_ = parse_expression(text_, keys_);
  } catch (const ExpressionError& error) {
    throw error_at(where_, error);
  }
}

bool Condition::holds(const KeyValues& values) const {
  try {
    return Evaluator(values).truth(*root_);
  } catch (const ExpressionError& error) {
    throw error_at(where_, error);
  }
}

}  // namespace t3sim::sweep
