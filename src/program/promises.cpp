#include "program/promises.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"

namespace t3sim::program {
namespace {

struct Shape {
  std::uint64_t rows, columns;
  bool operator==(const Shape&) const = default;
};
std::string to_text(const Shape& shape) { return fmt::format("{} x {}", shape.rows, shape.columns); }

Shape shape_of(const Formula& formula) {
  switch (formula.kind) {
    case Formula::Kind::times:
      return {shape_of(formula.of[0]).rows, shape_of(formula.of[1]).columns};
    case Formula::Kind::stacked: {
      Shape shape{0, shape_of(formula.of[0]).columns};
      for (const Formula& part : formula.of) shape.rows += shape_of(part).rows;
      return shape;
    }
    case Formula::Kind::plus:
      return shape_of(formula.of[0]);
    default:
      return {formula.view.rows, formula.view.columns};
  }
}

// Where `word`, between blanks, is last in the text outside of parentheses and brackets; npos: nowhere.
std::size_t last_word(std::string_view text, std::string_view word) {
  std::size_t found = text.npos;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += (text[i] == '(' || text[i] == '[') - (text[i] == ')' || text[i] == ']');
    if (depth == 0 && text.substr(i).starts_with(word)) found = i;
  }
  return found;
}

// All of it is in one pair of parentheses.
bool is_in_parentheses(std::string_view text) {
  if (!text.starts_with('(') || !text.ends_with(')')) return false;
  int depth = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (depth == 0) return false;
  }
  return true;
}

class FormulaReader {
 public:
  explicit FormulaReader(const Context& context) : c_(context) {}

  Formula read(const Piece& text) const {
    if (text.text.starts_with("sum over ")) return read_each(text, 9, Formula::Kind::plus);
    if (text.text.starts_with("stack over ")) return read_each(text, 11, Formula::Kind::stacked);
    if (const std::size_t plus = last_word(text.text, " plus "); plus != text.text.npos) {
      Formula formula{Formula::Kind::plus, {}, {read(text.from(0, plus)), read(text.from(plus + 6))}};
      check_alike(text, formula.of[0], formula.of[1]);
      return formula;
    }
    if (const std::size_t times = last_word(text.text, " times "); times != text.text.npos) {
      Formula formula{Formula::Kind::times, {}, {read(text.from(0, times)), read(text.from(times + 7))}};
      const Shape a = shape_of(formula.of[0]), b = shape_of(formula.of[1]);
      if (a.columns != b.rows) refuse(text, fmt::format("{} times {}", to_text(a), to_text(b)));
      return formula;
    }
    if (is_in_parentheses(text.text)) return read(text.from(1, text.text.size() - 1));
    constexpr std::string_view kGathered = "gathered ";
    if (text.text.starts_with(kGathered))
      return {Formula::Kind::gathered, evaluate_view(c_, text.from(kGathered.size())), {}};
    return {Formula::Kind::view, evaluate_view(c_, text), {}};
  }

 private:
  // "sum over p of ...", "sum over p in 1 .. 3 of ...", "p" being at `begin`
  Formula read_each(const Piece& text, std::size_t begin, Formula::Kind kind) const {
    constexpr std::string_view kOf = " of ", kIn = " in ";
    const std::size_t of = text.text.find(kOf, begin);
    if (of == text.text.npos) refuse(text, fmt::format("expected {}NAME of ...", text.text.substr(0, begin)));
    const Piece head = text.from(begin, of), body = text.from(of + kOf.size());
    const std::size_t in = head.text.find(kIn);
    const auto [first, last] = in == head.text.npos
                                   ? std::pair{std::int64_t{0}, std::int64_t{c_.program.gpu_count} - 1}
                                   : evaluate_range(c_.scope, head.from(in + kIn.size()));
    if (last < first) refuse(text, "the range has nothing in it");
    const std::size_t names = c_.scope.size();
    c_.scope.declare(std::string(head.from(0, in).text), 0, text.node->where);
    Formula all{kind, {}, {}};
    for (std::int64_t i = first; i <= last; ++i) {
      c_.scope.set_last(i);
      all.of.push_back(read(body));
      if (kind == Formula::Kind::plus) check_alike(body, all.of.front(), all.of.back());
    }
    c_.scope.shrink(names);
    return all;
  }
  void check_alike(const Piece& text, const Formula& a, const Formula& b) const {
    if (shape_of(a) != shape_of(b))
      refuse(text, fmt::format("{} plus {}", to_text(shape_of(a)), to_text(shape_of(b))));
  }
  [[noreturn]] void refuse(const Piece& text, const std::string& what) const {
    throw error_at(text, fmt::format("{}promises: {}", c_.scope.prefix(), what));
  }

  const Context& c_;
};

void add_part(const Context& c, const config::Entry& entry, Promise& promise) {
  const Piece target{&entry.value, entry.key, 0};
  const std::string name(entry.key.substr(0, entry.key.find_first_of("@[ ")));
  const auto array = std::ranges::find(c.program.arrays, name, &Array::name);
  if (array == c.program.arrays.end())
    throw error_at(entry.where, unknown("array", name, names_of(c.program.arrays)));
  if (!array->on[c.gpu]) return;
  const View view = evaluate_view_or_none(c, target);
  if (view.gpu != c.gpu)
    throw error_at(entry.where, "promises: the array of every GPU, without @; the formula may say rank");
  if (view.rows == 0 || view.columns == 0) return;
  const Piece text = Piece::whole(scalar(entry.value, "promises"));
  Formula formula = FormulaReader(c).read(text);
  if (const Shape is = shape_of(formula), wanted{view.rows, view.columns}; is != wanted)
    throw error_at(text, fmt::format("{}promises: {} is {}, this is {}", c.scope.prefix(), entry.key,
                                     to_text(wanted), to_text(is)));
  promise.parts.push_back({view, std::move(formula)});
}

}  // namespace

void add_promises(const ProgramText& text, const Context& context) {
  const config::Node* promises = optional(text.root, "promises");
  if (!promises) return;
  std::vector<Promise>& all = context.program.promises;
  for (std::size_t i = 0; i < promises->entries.size(); ++i) {
    const config::Entry& entry = promises->entries[i];
    if (i == all.size())
      all.push_back({entry.key, scalar(entry.value, "promises").scalar, place_of(entry.where), {}});
    add_part(context, entry, all[i]);
  }
}

}  // namespace t3sim::program
